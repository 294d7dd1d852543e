//! Element types: what a buffer can hold, in Rust and in WGSL.

use std::fmt::Debug;

use crate::error::Error;

/// What buffers hold and scans combine: plain data whose bits mean the same on the host and the device.
///
/// Implemented for `u8`, `i8`, `u16`, `i16`, `f16` ([`half::f16`]), `u32`, `i32`, `f32`, `u64`, `i64`, `f64`,
/// and arrays of two to four 32-bit numbers, which are vectors in WGSL. A struct of one's own takes a line:
///
/// ```
/// use gpuscan::{Element, Layout};
///
/// #[repr(C)]
/// #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
/// struct Affine {
///     a: f32,
///     b: f32,
/// }
///
/// impl Element for Affine {
///     const LAYOUT: Layout = Layout::structure("Affine", &[("a", f32::LAYOUT), ("b", f32::LAYOUT)]);
/// }
/// ```
///
/// In buffers elements lie as Rust lays them out, without WGSL's padding: a `[f32; 3]` takes 12 bytes.
///
/// Elements narrower than 32 bits can be read and written but not combined: a [`Map`](crate::Map) such as
/// [`Widen`](crate::Widen) makes words of them, and one such as [`Narrow`](crate::Narrow) narrow results of words.
/// So `f16` is summed as `f32`. No device needs 16-bit or 64-bit numbers for that: `f16` is read from the bits of words,
/// `u64` and `i64` are two words, and so is `f64`, which is added and compared in integers, rounded as the CPU does.
/// ([`Product`](crate::Product) has no `f64`, which is a compile error.) A `bool` is a `u8`, counted by
/// [`NonZero`](crate::NonZero).
///
/// Four narrow results are written at once where input and output begin on a multiple of a quad of theirs; else one by
/// one, with atomic operations on words that lanes share, which is slow.
pub trait Element: bytemuck::Pod + Debug + PartialEq + Send + Sync + 'static {
    /// How WGSL sees it.
    const LAYOUT: Layout;
}

/// The WGSL side of an [`Element`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout(pub(crate) Shape);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Narrow(Narrow),
    Scalar(Scalar),
    /// Two to four components.
    Vector(Scalar, u32),
    /// A struct of so many words, `w0`, `w1`, … (Arrays inside workgroup memory are more than naga can do.)
    Words(u32),
    /// Its name in WGSL, and its fields one behind the other.
    Structure(&'static str, &'static [(&'static str, Layout)]),
}

/// Numbers of which several share a word. Read as the 32-bit type of their kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Narrow {
    U8,
    I8,
    U16,
    I16,
    F16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    U32,
    I32,
    F32,
}

impl Layout {
    /// A struct with these fields, in the order of the Rust struct, which must be `repr(C)`. `name` is what
    /// WGSL calls it.
    pub const fn structure(name: &'static str, fields: &'static [(&'static str, Layout)]) -> Self {
        Self(Shape::Structure(name, fields))
    }

    /// So many 32-bit words, for types that only their own operators understand. WGSL sees a struct of them,
    /// `w0`, `w1` and so on.
    pub const fn words(count: u32) -> Self {
        Self(Shape::Words(count))
    }

    /// Bytes of an element in a buffer.
    pub const fn bytes(&self) -> u32 {
        match self.0 {
            Shape::Narrow(Narrow::U8 | Narrow::I8) => 1,
            Shape::Narrow(Narrow::U16 | Narrow::I16 | Narrow::F16) => 2,
            Shape::Scalar(_) => 4,
            Shape::Vector(_, count) | Shape::Words(count) => 4 * count,
            Shape::Structure(_, fields) => {
                let (mut bytes, mut i) = (0, 0);
                while i < fields.len() {
                    bytes += fields[i].1.bytes();
                    i += 1;
                }
                bytes
            }
        }
    }

    /// An error unless `T` has the size that this layout says, and at most [`MOST_WORDS`] whole words.
    pub(crate) fn check<T>(&self) -> Result<(), Error> {
        let (expected, found) = (self.bytes() as usize, size_of::<T>());
        if expected != found {
            return Err(Error::Layout {
                element: std::any::type_name::<T>(),
                what: "bytes",
                expected: expected as u64,
                found: found as u64,
            });
        }
        if found > 4 * MOST_WORDS as usize {
            return Err(Error::Layout {
                element: std::any::type_name::<T>(),
                what: "bytes at most",
                expected: 4 * u64::from(MOST_WORDS),
                found: found as u64,
            });
        }
        Ok(())
    }

    /// The same, and not narrower than a word: what can be combined, or written.
    pub(crate) fn check_words<T>(&self) -> Result<(), Error> {
        match self.0 {
            Shape::Narrow(_) => Err(Error::Layout {
                element: std::any::type_name::<T>(),
                what: "bytes at least, or a map that widens it",
                expected: 4,
                found: self.bytes().into(),
            }),
            _ => self.check::<T>(),
        }
    }
}

/// The widest elements have 64 bytes.
pub(crate) const MOST_WORDS: u32 = 16;

/// An [`Element`] that can be added: integers wrap around, floats round.
pub trait Number: Element {
    /// The sum of nothing.
    const ZERO: Self;

    /// `self + other`.
    fn plus(self, other: Self) -> Self;

    /// `fn combine(left: T, right: T) -> T` in WGSL.
    #[doc(hidden)]
    const PLUS: &'static str = include_str!("../shaders/monoid/sum.wgsl");

    /// Whether sums are the same bits in any grouping.
    #[doc(hidden)]
    const REGROUPS: bool = false;
}

macro_rules! scalar {
    ($type:ty, $shape:expr) => {
        impl Element for $type {
            const LAYOUT: Layout = Layout($shape);
        }
    };
}

scalar!(u8, Shape::Narrow(Narrow::U8));
scalar!(i8, Shape::Narrow(Narrow::I8));
scalar!(u16, Shape::Narrow(Narrow::U16));
scalar!(i16, Shape::Narrow(Narrow::I16));
scalar!(half::f16, Shape::Narrow(Narrow::F16));
scalar!(u32, Shape::Scalar(Scalar::U32));
scalar!(i32, Shape::Scalar(Scalar::I32));
scalar!(f32, Shape::Scalar(Scalar::F32));
// WGSL has no 64-bit numbers: two words, the lower first. Operators compute with both.
scalar!(u64, Shape::Vector(Scalar::U32, 2));
scalar!(i64, Shape::Vector(Scalar::U32, 2));
scalar!(f64, Shape::Vector(Scalar::U32, 2));

macro_rules! vectors {
    ($($type:ty = $scalar:ident: $($len:literal)*;)*) => {
        $($(
            impl Element for [$type; $len] {
                const LAYOUT: Layout = Layout(Shape::Vector(Scalar::$scalar, $len));
            }
        )*)*
    };
}

vectors! {
    u32 = U32: 2 3 4;
    i32 = I32: 2 3 4;
    f32 = F32: 2 3 4;
}

macro_rules! number {
    ($type:ty, $zero:expr, $plus:expr, $regroups:literal $(, $wgsl:literal)?) => {
        impl Number for $type {
            const ZERO: Self = $zero;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
            $(const PLUS: &'static str = include_str!(concat!("../shaders/monoid/", $wgsl));)?
            const REGROUPS: bool = $regroups;
        }
    };
}

number!(u32, 0, u32::wrapping_add, true);
number!(i32, 0, i32::wrapping_add, true);
number!(f32, 0.0, std::ops::Add::add, false);
number!(u64, 0, u64::wrapping_add, true, "sum_of_64_bits.wgsl");
number!(i64, 0, i64::wrapping_add, true, "sum_of_64_bits.wgsl");
number!(f64, 0.0, std::ops::Add::add, false, "sum_of_f64.wgsl");

macro_rules! vector_numbers {
    ($($type:ty: $($len:literal)*;)*) => {
        $($(
            impl Number for [$type; $len] {
                const ZERO: Self = [<$type>::ZERO; $len];
                const REGROUPS: bool = <$type>::REGROUPS;
                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    std::array::from_fn(|i| self[i].plus(other[i]))
                }
            }
        )*)*
    };
}

vector_numbers! {
    u32: 2 3 4;
    i32: 2 3 4;
    f32: 2 3 4;
}
