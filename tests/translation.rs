//! What the attributes make of Rust functions: the WGSL itself, that naga takes it, and what the Rust computes.

use gpuscan::{
    Element, Monoid,
    bytemuck::{Pod, Zeroable},
    function, monoid,
    translation::{self, Function},
};

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Element)]
#[bytemuck(crate = "gpuscan::bytemuck")]
struct Best {
    score: f32,
    place: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Element)]
#[bytemuck(crate = "gpuscan::bytemuck")]
struct Line {
    best: Best,
    corner: [f32; 2],
}

/// Declares an element's structs as a kernel does, and everything that the engine declares for operators.
const ENGINE: &str = "fn rounded(x: f32) -> f32 { return x; }
struct Best { score: f32, place: u32 }
struct Line { best: Best, corner: vec2<f32> }
@group(0) @binding(0) var<storage, read_write> data: array<T>;
@compute @workgroup_size(1) fn main() {
    data[2] = combine(data[0], data[1]);
    data[3] = identity();
}
";

/// Fails unless naga takes the operator's WGSL within a module.
#[track_caller]
fn assert_valid<T: Element>(monoid: &impl Monoid<T>) {
    let name = <T as translation::Value>::name().wgsl;
    let text = format!("{ENGINE}alias T = {name};\n{}", monoid.wgsl());
    let module = naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(&text)));
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    validator.validate(&module).unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(&text)));
}

/// The text of the one function, without the helpers before it.
fn written<F: Function>(identity: F::Output) -> translation::Translation {
    let whole = translation::monoid::<F>(identity);
    let from = |text: &str, start: &str| text[text.find(start).expect("combine is declared")..].to_owned();
    translation::Translation {
        wgsl: from(&whole.wgsl, "fn combine"),
        cuda: from(
            &whole.cuda,
            &format!("__device__ inline {} combine", <F::Output as translation::Value>::name().cuda),
        ),
    }
}

mod texts {
    use super::*;

    /// The greater score; of equal ones the first.
    #[monoid(ArgMax, identity = Best { score: f32::NEG_INFINITY, place: u32::MAX })]
    fn better(left: Best, right: Best) -> Best {
        if right.score > left.score { right } else { left }
    }

    #[test]
    fn a_tail_returns_from_each_branch() {
        let text = written::<better>(ArgMax.identity());
        assert_eq!(
            text.wgsl,
            "fn combine(left_1: Best, right_2: Best) -> Best {
    if right_2.score > left_1.score {
        return right_2;
    } else {
        return left_1;
    }
}

fn identity() -> Best {
    return Best(float_of(0xff800000u), 4294967295u);
}
"
        );
        assert_eq!(
            text.cuda,
            "__device__ inline Best combine(Best left_1, Best right_2) {
    if (right_2.score > left_1.score) {
        return right_2;
    } else {
        return left_1;
    }
}

__device__ inline Best identity() {
    return Best{float_of(0xff800000u), 4294967295u};
}
"
        );
        assert_valid(&ArgMax);
        // The attribute leaves the function as it was.
        let (low, high) = (Best { score: 1.0, place: 0 }, Best { score: 2.0, place: 1 });
        assert_eq!(better(low, high), high);
        assert_eq!(ArgMax.combine(high, low), high);
    }

    const STEP: i32 = -3;

    #[monoid(Statements, identity = 0)]
    fn statements(mut left: i32, right: i32) -> i32 {
        let x = if left < right { left } else { STEP };
        let x = x + 1;
        left -= x * right;
        {
            let x = -x;
            left ^= x;
        }
        if left == i32::MIN || !(right != 2) {
            return x >> 33;
        }
        left % 7 + (left as f32) as i32
    }

    #[test]
    fn variables_that_shadow_one_another_stay_apart() {
        let text = written::<statements>(0);
        assert_eq!(
            text.wgsl,
            "fn combine(left_1: i32, right_3: i32) -> i32 {
    var left_2: i32 = left_1;
    var value_4: i32;
    if left_2 < right_3 {
        value_4 = left_2;
    } else {
        value_4 = (-3i);
    }
    let x_5: i32 = value_4;
    let x_6: i32 = (x_5 + 1i);
    left_2 = (left_2 - (x_6 * right_3));
    {
        let x_7: i32 = (-x_6);
        left_2 = (left_2 ^ x_7);
    }
    if (left_2 == (-2147483647i - 1i)) || (!(right_3 != 2i)) {
        return (x_6 >> (33u & 31u));
    }
    return (remainder_of_i32(left_2, 7i) + i32_of_float(f32(left_2)));
}

fn identity() -> i32 {
    return 0i;
}
"
        );
        assert!(text.cuda.contains("int left_2 = left_1;\n"), "{}", text.cuda);
        assert!(text.cuda.contains("const int x_6 = (int)((unsigned)x_5 + (unsigned)1);\n"), "{}", text.cuda);
        assert_valid(&Statements);
    }

    #[function]
    fn twice(x: f32) -> f32 {
        2.0 * x
    }

    #[function]
    fn moved(line: Line, by: f32) -> Line {
        let corner = [line.corner[0] + twice(by), line.corner[1]];
        // In another order than they are declared.
        Line { corner, best: Best { place: 1, ..line.best } }
    }

    #[monoid(identity = Line { best: Best { score: 0.0, place: 0 }, corner: [-0.0, 1.5e-7] })]
    fn join(left: Line, right: Line) -> Line {
        let mut joined = moved(left, twice(right.corner[1]));
        joined.corner[1] = right.corner[0].min(left.corner[0]);
        joined.best.score *= 0.5;
        joined
    }

    #[test]
    fn functions_structs_and_arrays() {
        let text = translation::monoid::<join>(Join.identity());
        let own = &text.wgsl[text.wgsl.find("fn twice").expect("twice is declared")..];
        assert_eq!(
            own,
            "fn twice_1(x_1: f32) -> f32 {
    return rounded(2.0f * x_1);
}

fn moved_2(line_1: Line, by_2: f32) -> Line {
    let corner_3: vec2<f32> = vec2<f32>((line_1.corner[0] + twice_1(by_2)), line_1.corner[1]);
    return Line(Best(line_1.best.score, 1u), corner_3);
}

fn combine(left_1: Line, right_2: Line) -> Line {
    var joined_3: Line = moved_2(left_1, twice_1(right_2.corner[1]));
    joined_3.corner[1] = min_of_floats(right_2.corner[0], left_1.corner[0]);
    joined_3.best.score = rounded(joined_3.best.score * 0.5f);
    return joined_3;
}

fn identity() -> Line {
    return Line(Best(0.0f, 0u), vec2<f32>((-0.0f), 1.5e-7f));
}
"
        );
        assert!(
            text.wgsl.starts_with("fn is_nan("),
            "helpers come first, and only those in use: {}",
            text.wgsl
        );
        assert!(!text.wgsl.contains("fn float_of"), "{}", text.wgsl);
        assert!(text.cuda.contains("Vec<float, 2>{(line_1.corner[0] + twice_1(by_2)), line_1.corner[1]}"));
        assert_valid(&Join);
    }

    #[monoid(Inferred, identity = 0)]
    fn inferred(left: u32, right: u32) -> u32 {
        let mut bit = 1;
        if left > right {
            return 1 << left;
        }
        if left == 3 {
            bit += 1;
        }
        if right > 4 { bit } else { 7 }
    }

    #[test]
    fn literals_have_the_type_that_rust_infers() {
        let text = written::<inferred>(0).wgsl;
        assert!(
            text.contains("var bit_3: u32 = 1u;") && text.contains("return (1u << (left_1 & 31u));"),
            "{text}"
        );
        assert!(text.contains("return 7u;"), "{text}");
        assert_valid(&Inferred);
    }

    #[monoid(Constants, identity = 0, approximate)]
    fn constants(left: i32, right: i32) -> i32 {
        let overflow = i32::MAX + 1;
        let not_a_number = f32::INFINITY - f32::INFINITY;
        let zero = not_a_number as i32 + (1.0 / 0.0 > f32::MAX) as i32 - 1;
        left + overflow / zero + right % zero
    }

    #[test]
    fn constants_are_computed_in_rust() {
        let text = written::<constants>(0).wgsl;
        assert!(text.contains("let overflow_3: i32 = (-2147483647i - 1i);"), "{text}");
        assert!(text.contains("let not_a_number_4: f32 = float_of(0x"), "{text}");
        assert!(text.contains("let zero_5: i32 = ((i32_of_float(not_a_number_4) + 1i) - 1i);"), "{text}");
        assert_valid(&Constants);
    }

    /// Names that mean something in WGSL, in C++, in this library's text, or in the code the attribute makes.
    #[monoid(Names, identity = 1)]
    fn int(var: u32, __value: u32) -> u32 {
        let code = var.max(__value);
        let held = code;
        let r#fn = held + var;
        let slot = if code < held { code } else { r#fn };
        let value = if slot > 3 {
            let value = slot;
            value
        } else {
            held
        };
        value
    }

    #[test]
    fn no_name_is_taken() {
        assert_valid(&Names);
        assert_eq!(Names.combine(3, 2), 6);
        assert_eq!(Names.combine(1, 1), 1);
    }

    #[monoid(AllOperations, identity = 0.0, approximate)]
    fn all_operations(left: f32, right: f32) -> f32 {
        let a = left.to_bits() ^ right as u32 & 0xff | (7 << 3 >> 1);
        let b = a as i32 * -5 / 3 % (a as i32);
        let c = a / 5 % a + b.count_ones() + a.leading_zeros().saturating_sub(b.trailing_zeros());
        let d = c.saturating_add(a).wrapping_mul(3).wrapping_add(a).wrapping_sub(!a).clamp(3, 9);
        let e = b.abs().min(b.clamp(-3, 3)).max(i32::MIN) & !b;
        let f = left.abs().floor() + left.ceil().trunc() - f32::from_bits(d).clamp(-1.0, f32::INFINITY);
        let g = f.sqrt() + f.exp() + f.exp2() + f.ln() + f.log2() + f.powf(0.25) + f.sin() + f.cos();
        let h = g.is_nan() & (e <= 3) | (d >= 3) ^ (c < 3) && !(e > 3) || d == 3 && left != right;
        -(g / f % 3.0) + h as u32 as f32 + u32::MAX as f32 + f32::NAN
    }

    #[test]
    fn every_operation_is_valid() {
        assert_valid(&AllOperations);
    }
}

mod arithmetic {
    use super::*;

    #[function]
    fn sums(a: i32, b: i32) -> i32 {
        a + b * b - -a
    }

    #[function]
    fn quotients(a: i32, b: i32) -> [i32; 2] {
        [a / b, a % b]
    }

    #[function]
    fn shifts(a: i32, bits: u32) -> [i32; 2] {
        [a << bits, a >> bits]
    }

    #[function]
    fn extremes(a: f32, b: f32) -> [f32; 2] {
        [a.min(b), a.max(b)]
    }

    #[function]
    fn clamped(x: f32) -> f32 {
        x.clamp(-1.0, 0.0)
    }

    #[test]
    fn integers_wrap_and_never_panic() {
        assert_eq!(sums(i32::MAX, 2), i32::MAX.wrapping_add(4).wrapping_add(i32::MAX));
        assert_eq!(sums(i32::MIN, 0), 0);
        assert_eq!(quotients(-7, 2), [-3, -1]);
        assert_eq!(quotients(-7, 0), [-7, 0]);
        assert_eq!(quotients(i32::MIN, -1), [i32::MIN, 0]);
        assert_eq!(shifts(-8, 33), [-16, -4]);
    }

    #[test]
    fn extremes_of_floats_have_one_answer() {
        let bits = |values: [f32; 2]| values.map(f32::to_bits);
        for (a, b, expected) in [
            (1.0, 2.0, [1.0, 2.0]),
            (0.0, -0.0, [-0.0, 0.0]),
            (-0.0, 0.0, [-0.0, 0.0]),
            (f32::NAN, 1.0, [1.0, 1.0]),
            (1.0, f32::NAN, [1.0, 1.0]),
            (f32::NEG_INFINITY, f32::INFINITY, [f32::NEG_INFINITY, f32::INFINITY]),
        ] {
            assert_eq!(bits(extremes(a, b)), bits(expected), "{a} and {b}");
        }
        assert!(extremes(f32::NAN, f32::NAN)[0].is_nan());
        assert!(clamped(f32::NAN).is_nan());
        assert_eq!(clamped(-3.0), -1.0);
        assert_eq!(clamped(0.0).to_bits(), 0);
    }
}
