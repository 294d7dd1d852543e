//! Every operation, and for each type: Rust, WGSL, CUDA C++.

#![allow(clippy::module_inception)]

use super::{
    Value,
    expr::{Expr, Template, constant},
};

/// The type that a word in a signature stands for: `same` is the type of the operands.
macro_rules! kind {
    (same, $same:ty) => {
        $same
    };
    ($other:ident, $same:ty) => {
        $other
    };
}

macro_rules! operation {
    (
        $(#[$doc:meta])*
        $name:ident($($argument:ident: $kind:ident),+) -> $result:ident, $refusal:literal,
        $($type:ident: $host:expr, $wgsl:literal, $cuda:literal;)+
    ) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            #[doc(hidden)]
            pub type Host<T> = fn($(kind!($kind, T)),+) -> kind!($result, T);

            /// The types that the operation takes.
            #[diagnostic::on_unimplemented(message = $refusal)]
            pub trait Operand: Value {
                #[doc(hidden)]
                const HOST: Host<Self>;
                #[doc(hidden)]
                const TEMPLATE: Template;
            }

            $(impl Operand for $type {
                const HOST: Host<$type> = $host;
                const TEMPLATE: Template = Template { wgsl: $wgsl, cuda: $cuda };
            })+

            /// Computes it.
            #[inline(always)]
            pub fn host<T: Operand>($($argument: kind!($kind, T)),+) -> kind!($result, T) {
                (T::HOST)($($argument),+)
            }

            /// Writes it down.
            pub fn text<T: Operand>($($argument: Expr<kind!($kind, T)>),+) -> Expr<kind!($result, T)> {
                match ($($argument.value,)+) {
                    ($(Some($argument),)+) => constant((T::HOST)($($argument),+)),
                    _ => Expr::new(T::TEMPLATE.fill(&[$($argument.text),+])),
                }
            }
        }
    };
}

operation! {
    /// `left + right`.
    add(left: same, right: same) -> same, "`+` takes u32, i32 and f32, not {Self}",
    u32: u32::wrapping_add, "($0 + $1)", "($0 + $1)";
    i32: i32::wrapping_add, "($0 + $1)", "(int)((unsigned)$0 + (unsigned)$1)";
    f32: |l, r| l + r, "($0 + $1)", "($0 + $1)";
}
operation! {
    /// `left - right`.
    sub(left: same, right: same) -> same, "`-` takes u32, i32 and f32, not {Self}",
    u32: u32::wrapping_sub, "($0 - $1)", "($0 - $1)";
    i32: i32::wrapping_sub, "($0 - $1)", "(int)((unsigned)$0 - (unsigned)$1)";
    f32: |l, r| l - r, "($0 - $1)", "($0 - $1)";
}
operation! {
    /// `left * right`. A product of floats is rounded before anything is added to it.
    mul(left: same, right: same) -> same, "`*` takes u32, i32 and f32, not {Self}",
    u32: u32::wrapping_mul, "($0 * $1)", "($0 * $1)";
    i32: i32::wrapping_mul, "($0 * $1)", "(int)((unsigned)$0 * (unsigned)$1)";
    f32: |l, r| l * r, "rounded($0 * $1)", "($0 * $1)";
}
operation! {
    /// `left / right` of integers.
    div(left: same, right: same) -> same,
    "`/` takes u32 and i32, not {Self}: devices round the quotient of floats differently, which the flag `approximate` allows",
    u32: |l, r| l.checked_div(r).unwrap_or(l), "quotient_of_u32($0, $1)", "quotient_of_u32($0, $1)";
    i32: |l, r| if r == 0 { l } else { l.wrapping_div(r) }, "quotient_of_i32($0, $1)", "quotient_of_i32($0, $1)";
}
operation! {
    /// `left % right` of integers.
    rem(left: same, right: same) -> same,
    "`%` takes u32 and i32, not {Self}: devices round the quotient of floats differently, which the flag `approximate` allows",
    u32: |l, r| l.checked_rem(r).unwrap_or(0), "remainder_of_u32($0, $1)", "remainder_of_u32($0, $1)";
    i32: |l, r| if r == 0 { 0 } else { l.wrapping_rem(r) }, "remainder_of_i32($0, $1)", "remainder_of_i32($0, $1)";
}
operation! {
    /// `left / right` where `approximate` allows it of floats too.
    div_approximate(left: same, right: same) -> same, "`/` takes u32, i32 and f32, not {Self}",
    u32: div::host, "quotient_of_u32($0, $1)", "quotient_of_u32($0, $1)";
    i32: div::host, "quotient_of_i32($0, $1)", "quotient_of_i32($0, $1)";
    f32: |l, r| l / r, "($0 / $1)", "($0 / $1)";
}
operation! {
    /// `left % right` where `approximate` allows it of floats too.
    rem_approximate(left: same, right: same) -> same, "`%` takes u32, i32 and f32, not {Self}",
    u32: rem::host, "remainder_of_u32($0, $1)", "remainder_of_u32($0, $1)";
    i32: rem::host, "remainder_of_i32($0, $1)", "remainder_of_i32($0, $1)";
    f32: |l, r| l % r, "($0 % $1)", "fmodf($0, $1)";
}
operation! {
    /// `-value`.
    neg(value: same) -> same, "unary `-` takes i32 and f32, not {Self}",
    i32: i32::wrapping_neg, "(-$0)", "(int)(0u - (unsigned)$0)";
    f32: |x| -x, "(-$0)", "(-$0)";
}
operation! {
    /// `!value`.
    not(value: same) -> same, "`!` takes bool, u32 and i32, not {Self}",
    bool: |x| !x, "(!$0)", "(!$0)";
    u32: |x| !x, "(~$0)", "(~$0)";
    i32: |x| !x, "(~$0)", "(~$0)";
}
operation! {
    /// `left & right`.
    bitand(left: same, right: same) -> same, "`&` takes bool, u32 and i32, not {Self}",
    bool: |l, r| l & r, "($0 & $1)", "($0 && $1)";
    u32: |l, r| l & r, "($0 & $1)", "($0 & $1)";
    i32: |l, r| l & r, "($0 & $1)", "($0 & $1)";
}
operation! {
    /// `left | right`.
    bitor(left: same, right: same) -> same, "`|` takes bool, u32 and i32, not {Self}",
    bool: |l, r| l | r, "($0 | $1)", "($0 || $1)";
    u32: |l, r| l | r, "($0 | $1)", "($0 | $1)";
    i32: |l, r| l | r, "($0 | $1)", "($0 | $1)";
}
operation! {
    /// `left ^ right`.
    bitxor(left: same, right: same) -> same, "`^` takes bool, u32 and i32, not {Self}",
    bool: |l, r| l ^ r, "($0 != $1)", "($0 != $1)";
    u32: |l, r| l ^ r, "($0 ^ $1)", "($0 ^ $1)";
    i32: |l, r| l ^ r, "($0 ^ $1)", "($0 ^ $1)";
}
operation! {
    /// `value << bits`, by `bits % 32`.
    shl(value: same, bits: u32) -> same, "`<<` takes u32 and i32, not {Self}",
    u32: u32::wrapping_shl, "($0 << ($1 & 31u))", "($0 << ($1 & 31u))";
    i32: i32::wrapping_shl, "($0 << ($1 & 31u))", "(int)((unsigned)$0 << ($1 & 31u))";
}
operation! {
    /// `value >> bits`, by `bits % 32`.
    shr(value: same, bits: u32) -> same, "`>>` takes u32 and i32, not {Self}",
    u32: u32::wrapping_shr, "($0 >> ($1 & 31u))", "($0 >> ($1 & 31u))";
    i32: i32::wrapping_shr, "($0 >> ($1 & 31u))", "($0 >> ($1 & 31u))";
}
operation! {
    /// `left < right`.
    lt(left: same, right: same) -> bool, "`<` takes u32, i32 and f32, not {Self}",
    u32: |l, r| l < r, "($0 < $1)", "($0 < $1)";
    i32: |l, r| l < r, "($0 < $1)", "($0 < $1)";
    f32: |l, r| l < r, "($0 < $1)", "($0 < $1)";
}
operation! {
    /// `left <= right`.
    le(left: same, right: same) -> bool, "`<=` takes u32, i32 and f32, not {Self}",
    u32: |l, r| l <= r, "($0 <= $1)", "($0 <= $1)";
    i32: |l, r| l <= r, "($0 <= $1)", "($0 <= $1)";
    f32: |l, r| l <= r, "($0 <= $1)", "($0 <= $1)";
}
operation! {
    /// `left > right`.
    gt(left: same, right: same) -> bool, "`>` takes u32, i32 and f32, not {Self}",
    u32: |l, r| l > r, "($0 > $1)", "($0 > $1)";
    i32: |l, r| l > r, "($0 > $1)", "($0 > $1)";
    f32: |l, r| l > r, "($0 > $1)", "($0 > $1)";
}
operation! {
    /// `left >= right`.
    ge(left: same, right: same) -> bool, "`>=` takes u32, i32 and f32, not {Self}",
    u32: |l, r| l >= r, "($0 >= $1)", "($0 >= $1)";
    i32: |l, r| l >= r, "($0 >= $1)", "($0 >= $1)";
    f32: |l, r| l >= r, "($0 >= $1)", "($0 >= $1)";
}
operation! {
    /// `left == right`.
    eq(left: same, right: same) -> bool, "`==` takes bool, u32, i32 and f32, not {Self}: compare the fields",
    bool: |l, r| l == r, "($0 == $1)", "($0 == $1)";
    u32: |l, r| l == r, "($0 == $1)", "($0 == $1)";
    i32: |l, r| l == r, "($0 == $1)", "($0 == $1)";
    f32: |l, r| l == r, "($0 == $1)", "($0 == $1)";
}
operation! {
    /// `left != right`.
    ne(left: same, right: same) -> bool, "`!=` takes bool, u32, i32 and f32, not {Self}: compare the fields",
    bool: |l, r| l != r, "($0 != $1)", "($0 != $1)";
    u32: |l, r| l != r, "($0 != $1)", "($0 != $1)";
    i32: |l, r| l != r, "($0 != $1)", "($0 != $1)";
    f32: |l, r| l != r, "($0 != $1)", "($0 != $1)";
}
operation! {
    /// `left.wrapping_add(right)`, which is what `+` does too.
    wrapping_add(left: same, right: same) -> same, "`wrapping_add` takes u32 and i32, not {Self}",
    u32: u32::wrapping_add, "($0 + $1)", "($0 + $1)";
    i32: i32::wrapping_add, "($0 + $1)", "(int)((unsigned)$0 + (unsigned)$1)";
}
operation! {
    /// `left.wrapping_sub(right)`, which is what `-` does too.
    wrapping_sub(left: same, right: same) -> same, "`wrapping_sub` takes u32 and i32, not {Self}",
    u32: u32::wrapping_sub, "($0 - $1)", "($0 - $1)";
    i32: i32::wrapping_sub, "($0 - $1)", "(int)((unsigned)$0 - (unsigned)$1)";
}
operation! {
    /// `left.wrapping_mul(right)`, which is what `*` does too.
    wrapping_mul(left: same, right: same) -> same, "`wrapping_mul` takes u32 and i32, not {Self}",
    u32: u32::wrapping_mul, "($0 * $1)", "($0 * $1)";
    i32: i32::wrapping_mul, "($0 * $1)", "(int)((unsigned)$0 * (unsigned)$1)";
}
operation! {
    /// `left.saturating_add(right)`.
    saturating_add(left: same, right: same) -> same, "`saturating_add` takes u32 and i32, not {Self}",
    u32: u32::saturating_add, "saturating_add_of_u32($0, $1)", "saturating_add_of_u32($0, $1)";
    i32: i32::saturating_add, "saturating_add_of_i32($0, $1)", "saturating_add_of_i32($0, $1)";
}
operation! {
    /// `left.saturating_sub(right)`.
    saturating_sub(left: same, right: same) -> same, "`saturating_sub` takes u32 and i32, not {Self}",
    u32: u32::saturating_sub, "saturating_sub_of_u32($0, $1)", "saturating_sub_of_u32($0, $1)";
    i32: i32::saturating_sub, "saturating_sub_of_i32($0, $1)", "saturating_sub_of_i32($0, $1)";
}
operation! {
    /// `left.min(right)`; of floats, the one that is not NaN, and −0 is less than +0.
    min(left: same, right: same) -> same, "`min` takes u32, i32 and f32, not {Self}",
    u32: Ord::min, "min($0, $1)", "min($0, $1)";
    i32: Ord::min, "min($0, $1)", "min($0, $1)";
    f32: min_of_floats, "min_of_floats($0, $1)", "min_of_floats($0, $1)";
}
operation! {
    /// `left.max(right)`; of floats, the one that is not NaN, and −0 is less than +0.
    max(left: same, right: same) -> same, "`max` takes u32, i32 and f32, not {Self}",
    u32: Ord::max, "max($0, $1)", "max($0, $1)";
    i32: Ord::max, "max($0, $1)", "max($0, $1)";
    f32: max_of_floats, "max_of_floats($0, $1)", "max_of_floats($0, $1)";
}
operation! {
    /// `value.clamp(low, high)`.
    clamp(value: same, low: same, high: same) -> same, "`clamp` takes u32, i32 and f32, not {Self}",
    u32: |x, low, high| x.max(low).min(high), "min(max($0, $1), $2)", "min(max($0, $1), $2)";
    i32: |x, low, high| x.max(low).min(high), "min(max($0, $1), $2)", "min(max($0, $1), $2)";
    f32: clamp_of_floats, "clamp_of_floats($0, $1, $2)", "clamp_of_floats($0, $1, $2)";
}
operation! {
    /// `value.abs()`.
    abs(value: same) -> same, "`abs` takes i32 and f32, not {Self}",
    i32: i32::wrapping_abs, "abs($0)", "abs_of_i32($0)";
    f32: f32::abs, "abs($0)", "fabsf($0)";
}
operation! {
    /// `value.floor()`.
    floor(value: same) -> same, "`floor` takes f32, not {Self}",
    f32: f32::floor, "floor($0)", "floorf($0)";
}
operation! {
    /// `value.ceil()`.
    ceil(value: same) -> same, "`ceil` takes f32, not {Self}",
    f32: f32::ceil, "ceil($0)", "ceilf($0)";
}
operation! {
    /// `value.trunc()`.
    trunc(value: same) -> same, "`trunc` takes f32, not {Self}",
    f32: f32::trunc, "trunc($0)", "truncf($0)";
}
operation! {
    /// `value.is_nan()`, by the bits.
    is_nan(value: same) -> bool, "`is_nan` takes f32, not {Self}",
    f32: f32::is_nan, "is_nan($0)", "is_nan($0)";
}
operation! {
    /// `value.to_bits()`.
    to_bits(value: same) -> u32, "`to_bits` takes f32, not {Self}",
    f32: f32::to_bits, "bitcast<u32>($0)", "__float_as_uint($0)";
}
operation! {
    /// `f32::from_bits(bits)`.
    from_bits(bits: same) -> f32, "`f32::from_bits` takes u32, not {Self}",
    u32: f32::from_bits, "float_of($0)", "float_of($0)";
}
operation! {
    /// `value.count_ones()`.
    count_ones(value: same) -> u32, "`count_ones` takes u32 and i32, not {Self}",
    u32: u32::count_ones, "countOneBits($0)", "(unsigned)__popc($0)";
    i32: i32::count_ones, "u32(countOneBits($0))", "(unsigned)__popc((unsigned)$0)";
}
operation! {
    /// `value.leading_zeros()`.
    leading_zeros(value: same) -> u32, "`leading_zeros` takes u32 and i32, not {Self}",
    u32: u32::leading_zeros, "countLeadingZeros($0)", "(unsigned)__clz((int)$0)";
    i32: i32::leading_zeros, "u32(countLeadingZeros($0))", "(unsigned)__clz($0)";
}
operation! {
    /// `value.trailing_zeros()`.
    trailing_zeros(value: same) -> u32, "`trailing_zeros` takes u32 and i32, not {Self}",
    u32: u32::trailing_zeros, "countTrailingZeros($0)", "(unsigned)__clz((int)__brev($0))";
    i32: i32::trailing_zeros, "u32(countTrailingZeros($0))", "(unsigned)__clz((int)__brev((unsigned)$0))";
}
operation! {
    /// `value.sqrt()`, where `approximate` allows it.
    sqrt(value: same) -> same, "`sqrt` takes f32, not {Self}",
    f32: f32::sqrt, "sqrt($0)", "sqrtf($0)";
}
operation! {
    /// `value.exp()`, where `approximate` allows it.
    exp(value: same) -> same, "`exp` takes f32, not {Self}",
    f32: f32::exp, "exp($0)", "expf($0)";
}
operation! {
    /// `value.exp2()`, where `approximate` allows it.
    exp2(value: same) -> same, "`exp2` takes f32, not {Self}",
    f32: f32::exp2, "exp2($0)", "exp2f($0)";
}
operation! {
    /// `value.ln()`, where `approximate` allows it.
    ln(value: same) -> same, "`ln` takes f32, not {Self}",
    f32: f32::ln, "log($0)", "logf($0)";
}
operation! {
    /// `value.log2()`, where `approximate` allows it.
    log2(value: same) -> same, "`log2` takes f32, not {Self}",
    f32: f32::log2, "log2($0)", "log2f($0)";
}
operation! {
    /// `value.sin()`, where `approximate` allows it.
    sin(value: same) -> same, "`sin` takes f32, not {Self}",
    f32: f32::sin, "sin($0)", "sinf($0)";
}
operation! {
    /// `value.cos()`, where `approximate` allows it.
    cos(value: same) -> same, "`cos` takes f32, not {Self}",
    f32: f32::cos, "cos($0)", "cosf($0)";
}
operation! {
    /// `value.powf(exponent)`, where `approximate` allows it.
    powf(value: same, exponent: same) -> same, "`powf` takes f32, not {Self}",
    f32: f32::powf, "pow($0, $1)", "powf($0, $1)";
}

/// `left && right`. `right` is computed in any case on a device: it has no effect but its value.
pub fn both(left: Expr<bool>, right: Expr<bool>) -> Expr<bool> {
    Expr::new(Template { wgsl: "($0 && $1)", cuda: "($0 && $1)" }.fill(&[left.text, right.text]))
}

/// `left || right`.
pub fn either(left: Expr<bool>, right: Expr<bool>) -> Expr<bool> {
    Expr::new(Template { wgsl: "($0 || $1)", cuda: "($0 || $1)" }.fill(&[left.text, right.text]))
}

/// `value as To`.
pub mod cast {
    use super::*;

    /// The types that `as` takes, and what it makes of them.
    #[diagnostic::on_unimplemented(
        message = "`as` goes between u32, i32 and f32, and from bool to u32 and i32, not from {Self} to {To}"
    )]
    pub trait Operand<To: Value>: Value {
        #[doc(hidden)]
        fn host(self) -> To;
        #[doc(hidden)]
        const TEMPLATE: Template;
    }

    macro_rules! casts {
        ($($from:ident as $to:ident: $wgsl:literal, $cuda:literal;)+) => {
            $(impl Operand<$to> for $from {
                #[inline(always)]
                fn host(self) -> $to {
                    self as $to
                }
                const TEMPLATE: Template = Template { wgsl: $wgsl, cuda: $cuda };
            })+
        };
    }

    casts! {
        u32 as u32: "$0", "$0";
        u32 as i32: "bitcast<i32>($0)", "(int)$0";
        u32 as f32: "f32($0)", "(float)$0";
        i32 as u32: "bitcast<u32>($0)", "(unsigned)$0";
        i32 as i32: "$0", "$0";
        i32 as f32: "f32($0)", "(float)$0";
        f32 as u32: "u32_of_float($0)", "u32_of_float($0)";
        f32 as i32: "i32_of_float($0)", "i32_of_float($0)";
        f32 as f32: "$0", "$0";
        bool as u32: "u32($0)", "(unsigned)$0";
        bool as i32: "i32($0)", "(int)$0";
    }

    /// Computes it.
    #[inline(always)]
    pub fn host<From: Operand<To>, To: Value>(value: From) -> To {
        value.host()
    }

    /// Writes it down.
    pub fn text<From: Operand<To>, To: Value>(value: Expr<From>) -> Expr<To> {
        match value.value {
            Some(value) => constant(value.host()),
            None => Expr::new(From::TEMPLATE.fill(&[value.text])),
        }
    }
}

/// Integers in the order of the floats, −0 before +0.
fn rank(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ ((bits >> 31) & 0x7fff_ffff)
}

fn min_of_floats(a: f32, b: f32) -> f32 {
    if a.is_nan() || (!b.is_nan() && rank(b) < rank(a)) { b } else { a }
}

fn max_of_floats(a: f32, b: f32) -> f32 {
    if a.is_nan() || (!b.is_nan() && rank(b) > rank(a)) { b } else { a }
}

/// As `f32::clamp`, but without its panic.
fn clamp_of_floats(x: f32, low: f32, high: f32) -> f32 {
    let raised = if x < low { low } else { x };
    if raised > high { high } else { raised }
}
