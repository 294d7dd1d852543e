//! Without a GPU: kernels of every kind go through naga and NVRTC, as `backend/cuda/tests.rs` says.

use std::{borrow::Cow, collections::HashSet};

use half::f16;

use super::{compile::compile, library, translate::translate};
use crate::{
    element::{Element, Number},
    error::Error,
    kernel::{
        Kernel, LANES, Operator,
        scan::{Access, Lanes, Lifting, Pass, Rows, ScanKernel, Sink, Steps, Tiles},
        tests::every_kernel,
    },
    map::{Narrow, Same, Widen},
    monoid::*,
    plan::{self, Place, scan::tests::plans_with_hooks},
    tuning::Capabilities,
};

/// A driver for which NVRTC of any version will do.
const ANY_DRIVER: i32 = 1_000_000;
/// That of the H200, and the oldest.
const ARCHITECTURE: &str = "sm_90";
const OLDEST: &str = "sm_75";

fn compiles(operator: &Operator, kernel: &Kernel, counted: bool, architecture: &str) {
    let translated = translate(operator, kernel, counted)
        .unwrap_or_else(|error| panic!("{kernel:?} of {operator:?}: {error}"));
    let code = compile(kernel.name(), &translated.source, architecture)
        .unwrap_or_else(|error| panic!("{kernel:?} of {operator:?} for {architecture}: {error}"));
    assert!(code.starts_with(b"\x7fELF"), "{kernel:?}");
    let name = kernel.name().as_bytes();
    assert!(code.windows(name.len()).any(|window| window == name), "{kernel:?}");
}

fn need_nvrtc() {
    library::nvrtc(ANY_DRIVER).expect("this test needs NVRTC");
}

/// Enough of all kernels to see each choice of every pass.
fn some_of_each() -> Vec<(Operator, Kernel)> {
    let mut seen = HashSet::new();
    let mut is_new = |(operator, kernel): &(Operator, Kernel)| {
        let types = format!("{:?}", [operator.input, operator.element, operator.output]);
        let choices = format!("{kernel:?}");
        let choices = choices.split(", ").chain([&*types]);
        choices.filter(|choice| seen.insert(format!("{} {choice}", kernel.name()))).count() > 0
    };
    every_kernel().into_iter().filter(|kernel| is_new(kernel)).collect()
}

/// One of the two halves: tests run side by side.
fn half_of_them(half: usize) {
    need_nvrtc();
    let kernels = some_of_each();
    assert!(kernels.len() > 200, "{} kernels", kernels.len());
    for (operator, kernel) in kernels.iter().skip(half).step_by(2) {
        compiles(operator, kernel, false, ARCHITECTURE);
    }
}

#[test]
fn kernels_of_every_kind_compile() {
    half_of_them(0);
}

#[test]
fn the_other_kernels_compile() {
    half_of_them(1);
}

#[test]
fn one_of_each_name_compiles_for_the_oldest() {
    need_nvrtc();
    let mut seen = HashSet::new();
    for (operator, kernel) in every_kernel() {
        if seen.insert(kernel.name()) {
            compiles(&operator, &kernel, false, OLDEST);
        }
    }
}

#[test]
fn kernels_with_hooks_compile() {
    need_nvrtc();
    let mut seen = HashSet::new();
    let mut plans = plans_with_hooks();
    let place = Place { offset: 64, buffer: 1 << 24 };
    let capabilities = Capabilities { max_binding: u64::MAX, binding_alignment: 16, ..Capabilities::usual() };
    plans.push((Operator::none(), plan::scan::gaps([place; 3], 1000, 1000, &capabilities).expect("a plan")));
    plans.push((Operator::none(), plan::scan::arguments(place, place, 256, &capabilities)));
    for (operator, plan) in plans {
        for dispatch in plan.dispatches {
            let counted = dispatch.counted.is_some();
            if seen.insert((operator.clone(), dispatch.kernel, counted)) {
                compiles(&operator, &dispatch.kernel, counted, ARCHITECTURE);
            }
        }
    }
    assert!(seen.iter().any(|(.., counted)| *counted) && seen.len() > 40, "{} kernels", seen.len());
}

/// An operator of a test's own, without a text in CUDA C++, that makes use of more of WGSL than any built-in one.
#[derive(Clone)]
struct Everything;

impl Monoid<[f32; 4]> for Everything {
    fn identity(&self) -> [f32; 4] {
        [0.0; 4]
    }

    fn combine(&self, left: [f32; 4], right: [f32; 4]) -> [f32; 4] {
        [left[0] + right[0], left[1], left[2], right[3]]
    }

    fn wgsl(&self) -> Cow<'static, str> {
        r"
        struct Pair { x: vec2<u32>, xy: vec3<f32>, wide: vec3<i32>, last: i32 }
        fn identity() -> T { return T(); }
        fn turned(m: mat2x2<f32>, v: vec2<f32>) -> vec2<f32> {
            return transpose(m) * v + v * m * determinant(m) - (m * m * 2.0)[1];
        }
        fn combine(left: T, right: T) -> T {
            var pair = Pair(bitcast<vec2<u32>>(left.zw), left.xyz * 2.0 - right.wzy, vec3<i32>(right.xyz), -3);
            pair.wide = select(abs(pair.wide), -pair.wide % vec3(pair.last), pair.wide < vec3(4)) << vec3(1u);
            pair.x[pair.x.y % 2u] ^= countOneBits(~pair.x.y) + extractBits(pair.x.x, 3u, 5u) / (pair.x.y & 7u);
            let bits = insertBits(reverseBits(pair.x), vec2(firstLeadingBit(9u)), 4u, 2u) | firstTrailingBit(pair.x);
            let packed = pack2x16float(left.xy) + pack4x8unorm(left) + pack2x16snorm(left.xy) + pack4xU8(vec4(bits, bits));
            let parts = unpack2x16float(packed) + unpack2x16unorm(packed) + unpack4x8snorm(packed).zw;
            let split = modf(parts.x);
            let other = frexp(parts);
            let shape = dot(left, right) * normalize(cross(left.xyz, pair.xy)) + length(parts) + f32(any(parts > vec2(0.5)));
            let smooth_part = mix(smoothstep(vec2(0.0), vec2(1.0), parts), exp2(fract(parts)), sign(parts.x));
            let whole = floor(ldexp(other.fract, other.exp)) + clamp(round(parts), vec2(-1.0), vec2(split.whole));
            let last = quantizeToF16(pow(shape.x, 2.0)) + tanh(shape.y) * fma(shape.z, 2.0, inverseSqrt(shape.x)) % 3.0;
            let row = turned(mat2x2<f32>(parts, whole), smooth_part);
            return T(row, f32(dot(pair.wide, pair.wide)) + f32(dot4U8Packed(packed, bits.x)), last);
        }"
        .into()
    }
}

fn tiles(pass: Pass, per_lane: u32, tiles: Tiles) -> Kernel {
    Kernel::Scan(ScanKernel {
        pass,
        lanes: Lanes::Subgroup,
        width: LANES,
        per_lane,
        access: Access::Quads,
        tiles,
        steps: Steps::WrittenOut,
        lifting: Lifting::ByLevel,
        rows: Rows::One,
        sink: Sink::InOrder,
        in_place: false,
        exclusive: true,
        starts: false,
        maps: true,
        trace: false,
    })
}

fn of<T: Element>(monoid: impl Monoid<T>) -> Operator {
    Operator::plain::<T, _>(&monoid)
}

#[test]
fn every_operator_compiles() {
    need_nvrtc();
    fn numbers<T: Number + Ordered>() -> [Operator; 3] {
        [of::<T>(Sum), of::<T>(Max), of::<T>(Min)]
    }
    let of_numbers = [
        numbers::<u32>(),
        numbers::<i32>(),
        numbers::<f32>(),
        numbers::<u64>(),
        numbers::<i64>(),
        numbers::<f64>(),
    ];
    let others = [
        of::<u32>(Product),
        of::<f32>(Product),
        of::<u64>(Product),
        of::<u32>(BitAnd),
        of::<u32>(BitOr),
        of::<u64>(BitXor),
        of::<u32>(LogicalAnd),
        of::<u32>(LogicalOr),
        of::<[f32; 2]>(Intersection),
        of::<[f32; 4]>(MatrixProduct),
        of::<[u32; 4]>(MatrixProduct),
        of::<f32>(First(0.0f32)),
        of::<[u32; 2]>(Last([0u32, 0])),
        of::<[f32; 2]>(Affine),
        of::<[u32; 2]>(Affine),
        of::<ExactSum>(Exact),
        of::<[f32; 2]>(Compensated),
        of::<PlaneMap<f32>>(PlaneChain),
        of::<PlaneMap<u32>>(PlaneChain),
        of::<f32>(LogSumExp),
        of::<IndexedF32>(ArgMax),
        of::<IndexedU32>(ArgMin),
        of::<[f32; 4]>(Everything),
        Operator::new::<f16, f32, f32, _, _, _>(&Sum, &Widen, &Same),
        Operator::new::<u8, u32, u32, _, _, _>(&Max, &Widen, &Same),
        Operator::on_keys::<f32, f32, f32, _, _, _>(&Min, &Same, &Same).expect("floats have keys"),
        Operator::on_keys::<f16, f32, f16, _, _, _>(&Max, &Widen, &Narrow).expect("floats have keys"),
    ];
    for operator in of_numbers.into_iter().flatten().chain(others) {
        let wide = operator.element.word_count() > 4;
        let of_block = if wide { Tiles::Scratch } else { Tiles::Workgroup };
        compiles(&operator, &tiles(Pass::Scan, 1, of_block), false, ARCHITECTURE);
    }
}

/// Doubles would be slow, and rounded twice.
#[test]
fn no_number_is_a_double() {
    let translated = translate(&of::<[f32; 4]>(Everything), &tiles(Pass::Scan, 1, Tiles::Workgroup), false);
    let text = translated.expect("a translation").source.text;
    let start = text.find("namespace translated").expect("the translation");
    for word in text[start..].split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.') {
        let is_float = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        assert!(!is_float || word.ends_with('f'), "{word}");
    }
    assert!(text.contains("2.0f") && text.contains(".at<2, 3>()"), "{text}");
    assert!(text[start..].contains("<< metal::by << "), "{text}");
}

/// A fault is found where its author wrote it.
#[test]
fn faults_are_found_in_the_operators_own_text() {
    let mut operator = of::<u32>(Sum);
    let good = "fn identity() -> T { return 0u; }\n";
    for (place, text) in [
        ("operator:2:44", "fn combine(left: T, right: T) -> T { return sight; }"),
        ("operator:2:1", "fn combine(left: T, right: T) -> T { return left + 1.5; }"),
    ] {
        operator.combine[0].1 = format!("{good}{text}").into();
        let error = translate(&operator, &tiles(Pass::Reduce, 4, Tiles::Workgroup), false).map(|_| ());
        let Err(Error::Shader { kernel: "reduce", place: found, .. }) = error else { panic!("{error:?}") };
        assert!(found.starts_with(place.rsplit_once(':').expect("a column").0), "{found}");
    }
}
