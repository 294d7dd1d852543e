//! Every built-in operator: the laws on the CPU against a sequential fold, and the same bits on every device.

mod common;

use std::fmt::Debug;

use common::{
    everywhere,
    inputs::hashes,
    one_of,
    oracle::{assert_bits, naive},
    own, sized,
};
use gpuscan::{
    Affine, Algorithm, ArgMax, ArgMin, BitAnd, BitOr, BitXor, Device, Element, First, GpuScan, IndexedF32,
    IndexedI32, IndexedU32, Intersection, Last, LogSumExp, LogicalAnd, LogicalOr, MatrixProduct, Max, Min,
    Monoid, NonZero, Product, Sum, order,
};
use proptest::{
    prelude::*,
    test_runner::{RngSeed, TestRunner},
};

/// Either the same bits, or a NaN each.
fn same<T: Element>(a: &T, b: &T) -> bool {
    #[allow(clippy::eq_op, reason = "a NaN is not equal to itself")]
    let both_nan = a != a && b != b;
    both_nan || bytemuck::bytes_of(a) == bytemuck::bytes_of(b)
}

#[track_caller]
fn assert_same<T: Element>(found: &[T], expected: &[T], what: impl std::fmt::Display) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let differs = found.iter().zip(expected).position(|(found, expected)| !same(found, expected));
    if let Some(i) = differs {
        panic!("{what}: at {i}: expected {:?}, found {:?}", expected[i], found[i]);
    }
}

fn drawn<T>(seed: u64, len: usize, make: &dyn Fn(u64) -> T) -> Vec<T> {
    hashes(seed).take(len).map(make).collect()
}

/// The same bits as the canonical order: one tile, and several by three passes.
#[track_caller]
fn check_devices<T: Element, M: Monoid<T> + Debug>(monoid: M, make: fn(u64) -> T) {
    for device in one_of(everywhere(), std::any::type_name::<(M, T)>()) {
        for (algorithm, len) in [
            (Algorithm::Auto, 1),
            (Algorithm::Auto, 700),
            (Algorithm::ThreePass, 9001),
            (Algorithm::Auto, sized(20_001, 9002)),
        ] {
            let input = drawn(len as u64, len, &make);
            let scan = GpuScan::with_monoid(&device, monoid.clone()).algorithm(algorithm);
            let data = device.upload(&input).expect("upload");
            let found: Vec<T> = scan.exclusive(&data).expect("a scan").to_vec().expect("download");
            let what = format!("{monoid:?} of {len} × {}, {algorithm}, {device}", std::any::type_name::<T>());
            assert_same(&found, &naive(&monoid, &input, true), what);
        }
    }
}

/// Some seeds and lengths, the smallest of which fails is shown. Behind a pointer: what draws them is compiled once.
#[track_caller]
fn check_cases(test: &dyn Fn(u64, usize)) {
    let config = ProptestConfig {
        cases: sized(100, 20),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5ca9),
        ..Default::default()
    };
    TestRunner::new(config)
        .run(&(any::<u64>(), 0usize..300), |(seed, len)| {
            test(seed, len);
            Ok(())
        })
        .expect("a monoid");
}

/// A monoid, bit by bit: what the canonical order gives on the CPU is what a fold from the left gives, and the
/// identity changes nothing.
#[track_caller]
fn check_laws<T: Element, M: Monoid<T> + Debug>(monoid: M, make: fn(u64) -> T) {
    check_cases(&|seed, len| {
        let input = drawn(seed, len, &make);
        let mut found = input.clone();
        order::scan(&monoid, &mut found);
        let mut sum = None;
        let folded: Vec<T> = input
            .iter()
            .map(|&value| *sum.insert(sum.map_or(value, |sum| monoid.combine(sum, value))))
            .collect();
        assert_same(&found, &folded, format_args!("{monoid:?}"));
        for value in &input {
            let both = [monoid.combine(monoid.identity(), *value), monoid.combine(*value, monoid.identity())];
            assert_same(&both, &[*value; 2], format_args!("the identity of {monoid:?}"));
        }
    });
}

#[track_caller]
fn check<T: Element, M: Monoid<T> + Debug>(monoid: M, make: fn(u64) -> T) {
    check_laws(monoid.clone(), make);
    check_devices(monoid, make);
}

/// From -128 to 127.
fn small(bits: u64) -> f32 {
    f32::from((bits >> 20) as i8)
}

/// Floats of which many are equal, of either sign, zero, endless or NaN.
fn any_f32(bits: u64) -> f32 {
    match bits % 40 {
        0 => 0.0,
        1 => -0.0,
        2 => f32::INFINITY,
        3 => f32::NEG_INFINITY,
        4 if bits >> 56 == 0 => f32::from_bits(0x7fc0_0000 | (bits >> 50) as u32 & 63),
        5 if bits >> 56 == 0 => f32::from_bits(0xffc0_0000),
        6 => f32::MAX,
        7 => -f32::MAX,
        _ => small(bits) / 4.0,
    }
}

fn any_f64(bits: u64) -> f64 {
    match bits % 40 {
        4 => f64::from_bits(bits >> 5).clamp(-1e308, 1e308),
        5 => f64::from_bits(1 << 63 | bits >> 4).clamp(-1e308, 1e308),
        6 => f64::from_bits(bits >> 12),
        _ => any_f32(bits).into(),
    }
}

/// Without NaN, infinity or many small numbers: some extremes among all bits.
fn any_u64(bits: u64) -> u64 {
    match bits % 8 {
        0 => u64::MAX,
        1 => 0,
        2 => bits >> 33,
        3 => bits >> 33 | 1 << 63,
        4 => bits & 0xffff_ffff_0000_0000,
        _ => bits,
    }
}

#[test]
fn max() {
    check::<u32, _>(Max, |bits| any_u64(bits) as u32);
    check::<i32, _>(Max, |bits| any_u64(bits) as i32);
    check::<f32, _>(Max, any_f32);
    check::<u64, _>(Max, any_u64);
    check::<i64, _>(Max, |bits| any_u64(bits) as i64);
    check::<f64, _>(Max, any_f64);
}

#[test]
fn min() {
    check_laws::<u32, _>(Min, |bits| any_u64(bits) as u32);
    check_laws::<i32, _>(Min, |bits| any_u64(bits) as i32);
    check::<f32, _>(Min, any_f32);
    check::<u64, _>(Min, any_u64);
    check_laws::<i64, _>(Min, |bits| any_u64(bits) as i64);
    check_laws::<f64, _>(Min, any_f64);
}

/// What is above what, pair by pair, so that nothing hides behind an extreme.
#[track_caller]
fn check_pairs<T: Element, M: Monoid<T> + Debug>(monoid: M, values: &[T]) {
    let pairs: Vec<T> = values.iter().flat_map(|&a| values.iter().flat_map(move |&b| [a, b])).collect();
    let wanted: Vec<T> = pairs.chunks(2).flat_map(|p| [p[0], monoid.combine(p[0], p[1])]).collect();
    for device in everywhere() {
        let data = device.upload(&pairs).expect("upload");
        let scan = GpuScan::with_monoid(&device, monoid.clone());
        let found = scan.of(&data).rows(2).run::<T>().expect("a scan").to_vec().expect("download");
        for (pair, (found, wanted)) in pairs.chunks(2).zip(found.chunks(2).zip(wanted.chunks(2))) {
            assert_same(found, wanted, format_args!("{monoid:?} of {pair:?} on {device}"));
        }
    }
}

const TRICKY_F32: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.0 + f32::EPSILON,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    f32::MAX,
    -f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    -f32::NAN,
    0.5,
    3.0,
    -3.0,
];

fn tricky_f64() -> Vec<f64> {
    let positive = [
        0.0,
        f64::from_bits(1),
        f64::from_bits(2),
        f64::from_bits(3),
        f64::from_bits(0x000f_ffff_ffff_ffff),
        f64::MIN_POSITIVE,
        f64::from_bits(0x0010_0000_0000_0001),
        f64::from_bits(0x0020_0000_0000_0000),
        f64::from_bits(0x001f_ffff_ffff_ffff),
        1.0,
        1.0 + f64::EPSILON,
        1.0 - f64::EPSILON / 2.0,
        f64::EPSILON,
        f64::EPSILON / 2.0,
        f64::EPSILON / 2.0 * (1.0 + f64::EPSILON),
        f64::EPSILON / 4.0,
        2.0,
        3.0,
        0.1,
        1e16,
        9_007_199_254_740_991.0,
        9_007_199_254_740_993e1,
        4_294_967_296.0,
        4_294_967_295.0,
        1e300,
        f64::MAX,
        f64::MAX / 2.0,
        f64::from_bits(0x7fd0_0000_0000_0001),
        f64::MAX * f64::EPSILON / 4.0,
        f64::MAX * f64::EPSILON / 2.0,
        f64::INFINITY,
        f64::NAN,
    ];
    positive.iter().flat_map(|&x| [x, -x]).collect()
}

#[test]
fn extremes_of_tricky_pairs() {
    check_pairs(Max, &TRICKY_F32);
    check_pairs(Min, &TRICKY_F32);
    check_pairs(Max, &tricky_f64());
    check_pairs(Min, &tricky_f64());
}

/// A NaN wins, and of two NaNs the same one from either side.
#[test]
fn nans_win_from_either_side() {
    let nans =
        [0x7f80_0001, 0x7fc0_0000, 0x7fff_ffff, 0xff80_0001, 0xffc0_0000, 0xffff_ffff].map(f32::from_bits);
    let wide = [0x7ff0 << 48 | 1, 0x7fff << 48, u64::MAX >> 1, 0xfff0 << 48 | 1, 0xffff << 48, u64::MAX]
        .map(f64::from_bits);
    fn both<T: Element>(x: T, y: T) -> [(Vec<u8>, Vec<u8>); 2]
    where
        Max: Monoid<T>,
        Min: Monoid<T>,
    {
        let bits = |value: T| bytemuck::bytes_of(&value).to_vec();
        [
            (bits(Max.combine(x, y)), bits(Max.combine(y, x))),
            (bits(Min.combine(x, y)), bits(Min.combine(y, x))),
        ]
    }
    for (&nan, &wide_nan) in nans.iter().zip(&wide) {
        for number in [f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MAX] {
            assert!(Max.combine(number, nan).is_nan() && Max.combine(nan, number).is_nan());
            assert!(Min.combine(number, nan).is_nan() && Min.combine(nan, number).is_nan());
            let (number, nan) = (f64::from(number), wide_nan);
            assert!(Max.combine(number, nan).is_nan() && Max.combine(nan, number).is_nan());
            assert!(Min.combine(number, nan).is_nan() && Min.combine(nan, number).is_nan());
        }
        for (&other, &wide_other) in nans.iter().zip(&wide) {
            let pairs = [both(nan, other), both(wide_nan, wide_other)];
            assert!(pairs.iter().flatten().all(|(one, another)| one == another), "{pairs:?}");
        }
    }
}

/// Floats in the CPU's rounding: every kind of pair, on devices that have no such numbers.
#[test]
fn sums_of_f64() {
    let close = |seed| {
        hashes(seed)
            .take(40)
            .map(|bits| f64::from_bits(bits & 0x803f_ffff_ffff_ffff | 0x3fc0 << 48))
            .collect()
    };
    let far = |seed| hashes(seed).take(40).map(f64::from_bits).collect();
    let small =
        |seed| hashes(seed).take(40).map(|bits| f64::from_bits(bits & 0x801f_ffff_ffff_ffff)).collect();
    let sets: [Vec<f64>; 4] = [tricky_f64(), close(1), far(2), small(3)];
    for set in &sets {
        check_pairs(Sum, set);
    }
    check_devices::<f64, _>(Sum, |bits| f64::from_bits(bits & 0x803f_ffff_ffff_ffff | 0x3fc0 << 48));
}

#[test]
fn product() {
    // Odd numbers: others would be zero soon.
    check::<u32, _>(Product, |bits| bits as u32 | 1);
    check_laws::<i32, _>(Product, |bits| bits as i32 | 1);
    check::<u64, _>(Product, |bits| bits | 1);
    check_laws::<i64, _>(Product, |bits| bits as i64 | 1);
    check_pairs::<u64, _>(Product, &hashes(9).take(20).map(any_u64).collect::<Vec<_>>());
    fn near_one(bits: u64) -> f32 {
        1.0 + small(bits) / 2048.0
    }
    check_devices::<f32, _>(Product, near_one);
    check_devices::<[f32; 3], _>(Product, |bits| [near_one(bits), near_one(bits << 8), near_one(bits >> 9)]);
}

#[test]
fn bitwise() {
    // Few bits are cleared, or set.
    fn nearly(bits: u64) -> u64 {
        bits | bits << 7 | bits >> 9 | bits << 13 | bits >> 21 | bits << 40
    }
    check::<u32, _>(BitAnd, |bits| nearly(bits) as u32);
    check_laws::<i32, _>(BitOr, |bits| !nearly(bits) as i32);
    check::<u32, _>(BitXor, |bits| bits as u32);
    check_laws::<u64, _>(BitAnd, nearly);
    check::<u64, _>(BitOr, |bits| !nearly(bits));
    check_laws::<i64, _>(BitXor, |bits| bits as i64);
}

#[test]
fn logical() {
    check::<u32, _>(LogicalAnd, |bits| u32::from(bits >> 8 != 0));
    check::<u32, _>(LogicalOr, |bits| u32::from(bits & 0xfff == 0));
    for device in everywhere() {
        let flags = device.upload(&[0u8, 0, 7, 0, 255]).expect("upload");
        let any =
            GpuScan::with_monoid(&device, LogicalOr).mapping(NonZero).inclusive(&flags).expect("a scan");
        assert_eq!(any.to_vec().expect("download"), [0, 0, 1, 1, 1]);
        let flags = device.upload(&[3u8, 1, 0, 7]).expect("upload");
        let all =
            GpuScan::with_monoid(&device, LogicalAnd).mapping(NonZero).exclusive(&flags).expect("a scan");
        assert_eq!(all.to_vec().expect("download"), [1, 1, 1, 0]);
    }
}

#[test]
fn first_and_last() {
    let rare = |bits: u64| if bits.is_multiple_of(50) { (bits >> 32) as u32 } else { 7 };
    check::<u32, _>(First(7), rare);
    check::<u32, _>(Last(7), rare);
    check::<f32, _>(Last(-0.0), |bits| [0.0, -0.0, -0.0, -0.0, 2.5][(bits % 5) as usize]);
    check::<IndexedF32, _>(Last(IndexedF32 { value: 0.0, index: 3 }), |bits| IndexedF32 {
        value: [0.0, 0.0, 1.0][(bits % 3) as usize],
        index: 3 + u32::from(bits % 70 < 3),
    });
}

#[test]
fn where_the_extremes_are() {
    check::<IndexedF32, _>(ArgMax, |bits| IndexedF32 { value: any_f32(bits), index: (bits >> 40) as u32 });
    check::<IndexedF32, _>(ArgMin, |bits| IndexedF32 { value: any_f32(bits), index: (bits >> 40) as u32 });
    check_laws::<IndexedU32, _>(ArgMin, |bits| IndexedU32 { value: bits as u32, index: (bits >> 40) as u32 });
    check::<IndexedI32, _>(ArgMax, |bits| IndexedI32 { value: bits as i32, index: (bits >> 40) as u32 });
    // Ties: the first one, whatever the order of combination.
    for device in everywhere() {
        let input = IndexedI32::number(&vec![-4; sized(20_000, 5000)]);
        let data = device.upload(&input).expect("upload");
        let found: Vec<IndexedI32> = GpuScan::with_monoid(&device, ArgMax)
            .inclusive(&data)
            .expect("a scan")
            .to_vec()
            .expect("download");
        assert!(found.iter().all(|found| found.index == 0), "{device}");
    }
}

#[test]
fn intersection() {
    check::<[i32; 2], _>(Intersection, |bits| [bits as i32 >> 3, (bits >> 32) as i32 >> 3]);
    check_laws::<[u32; 2], _>(Intersection, |bits| [bits as u32 >> 3, (bits >> 32) as u32 | 1 << 31]);
    check::<[f32; 2], _>(Intersection, |bits| [any_f32(bits), any_f32(bits.rotate_left(31))]);
}

#[test]
fn affine() {
    check::<[u32; 2], _>(Affine, |bits| [bits as u32 | 1, (bits >> 32) as u32]);
    check_devices::<[f32; 2], _>(Affine, |bits| [1.0 + small(bits) / 2048.0, small(bits >> 9) / 3.0]);
    // Without roundings it is associative.
    check_laws::<[f32; 2], _>(Affine, |bits| [1.0 - 2.0 * (bits % 2) as f32, small(bits >> 9)]);
}

#[test]
fn matrices() {
    check::<[u32; 4], _>(MatrixProduct, |bits| {
        [bits as u32, (bits >> 8) as u32, (bits >> 16) as u32, (bits >> 24) as u32 | 1]
    });
    // Near the identity, turning: products neither vanish nor overflow.
    fn entry(bits: u64) -> f32 {
        small(bits) / 4096.0
    }
    check_devices::<[f32; 4], _>(MatrixProduct, |bits| {
        [1.0 + entry(bits), entry(bits >> 9), entry(bits >> 17), 1.0 - entry(bits)]
    });
}

/// Fibonacci's numbers modulo 2^32, up to the millionth.
#[test]
fn fibonacci() {
    let len = sized(1_000_000, 5000);
    let mut pair = (1u32, 1u32);
    let wanted: Vec<u32> = (0..len)
        .map(|_| {
            let number = pair.0;
            pair = (pair.1, pair.0.wrapping_add(pair.1));
            number
        })
        .collect();
    for device in everywhere() {
        let steps = device.upload(&vec![[1u32, 1, 1, 0]; len]).expect("upload");
        let products = GpuScan::with_monoid(&device, MatrixProduct).inclusive(&steps).expect("a scan");
        let numbers: Vec<u32> = products.to_vec().expect("download").iter().map(|m| m[1]).collect();
        assert_bits(&numbers, &wanted, format_args!("Fibonacci on {device}"));
    }
}

/// Values that agree up to what `exp` and `log` may differ by.
#[track_caller]
fn assert_near(found: &[f32], wanted: &[f64], what: impl std::fmt::Display) {
    assert_eq!(found.len(), wanted.len());
    for (i, (&found, &wanted)) in found.iter().zip(wanted).enumerate() {
        let near = (f64::from(found) - wanted).abs() <= 1e-4 * wanted.abs().max(1.0);
        let both_nan = found.is_nan() && wanted.is_nan();
        let equal = f64::from(found) == wanted;
        assert!(near || both_nan || equal, "{what}, at {i}: expected {wanted}, found {found}");
    }
}

/// Public cases: tensorflow#111383, tensorflow#115610, pytorch#52213.
#[test]
fn log_sum_exp() {
    const INF: f32 = f32::INFINITY;
    let case = |input: &[f32], wanted: &[f64]| {
        for device in everywhere() {
            let data = device.upload(input).expect("upload");
            let found: Vec<f32> = GpuScan::with_monoid(&device, LogSumExp)
                .inclusive(&data)
                .expect("a scan")
                .to_vec()
                .expect("download");
            assert_near(&found, wanted, format_args!("{} values on {device}", input.len()));
        }
    };
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    case(&[1.0, f32::NAN, 2.0], &[1.0, nan, nan]);
    case(&[INF, INF, 1.0], &[inf, inf, inf]);
    case(&[2.0, -INF, -INF, 1.0, 3.0], &[2.0, 2.0, 2.0, 2.3133, 3.4076]);
    case(&[-INF, -INF, 0.0], &[-inf, -inf, 0.0]);
    case(&[-INF, INF, f32::NAN], &[-inf, inf, nan]);
    // A thousandth of a factor at a time, from far below what `exp` can hold.
    let input = drawn(3, sized(20_001, 6000), &|bits| ((bits >> 40) as f32) / 2e5 - 2000.0);
    let mut sum = f64::NEG_INFINITY;
    let wanted: Vec<f64> = input
        .iter()
        .map(|&x| {
            let (high, low) = if sum > x.into() { (sum, x.into()) } else { (x.into(), sum) };
            sum = high + (low - high).exp().ln_1p();
            sum
        })
        .collect();
    case(&input, &wanted);
}

/// One operator of each kind of text, with totals handed on from workgroup to workgroup.
#[test]
fn by_one_pass() {
    for subgroups in [true, false] {
        let device = own(Device::request().subgroups(subgroups));
        for len in [9000, sized(300_001, 9001)] {
            let input = drawn(len as u64, len, &any_f32);
            let scan = GpuScan::with_monoid(&device, Max).algorithm(Algorithm::SinglePass);
            let data = device.upload(&input).expect("upload");
            let found: Vec<f32> = scan.inclusive(&data).expect("a scan").to_vec().expect("download");
            assert_same(&found, &naive(&Max, &input, false), format_args!("{len} on {device}"));
        }
    }
}

/// What [`Monoid::check`] finds, with the values for which it is so.
mod checks {
    use std::borrow::Cow;

    use super::*;
    use gpuscan::Error;

    /// An operator with something wrong about it.
    #[derive(Clone)]
    struct Odd {
        combine: fn(i32, i32) -> i32,
        identity: i32,
        wgsl: &'static str,
    }

    impl Monoid<i32> for Odd {
        fn identity(&self) -> i32 {
            self.identity
        }

        fn combine(&self, left: i32, right: i32) -> i32 {
            (self.combine)(left, right)
        }

        fn wgsl(&self) -> Cow<'static, str> {
            self.wgsl.into()
        }
    }

    const SUM: &str = "fn identity() -> T { return 0i; } fn combine(l: T, r: T) -> T { return l + r; }";

    #[track_caller]
    fn finds(odd: &Odd, device: &Device, texts: &[&str]) {
        let error = odd.check(device).expect_err("something is wrong");
        assert!(matches!(error, Error::Operator { .. }), "{error:?}");
        let error = error.to_string();
        assert!(texts.iter().all(|text| error.contains(text)), "{error}");
    }

    /// Where it is made, without a device.
    #[test]
    fn texts_before_there_is_a_device() {
        let odd = |wgsl| Odd { combine: i32::wrapping_add, identity: 0, wgsl };
        let says = |wgsl| odd(wgsl).checked().err().expect("a fault").to_string();
        assert!(odd(SUM).checked().is_ok());
        let wrong_type =
            "fn identity() -> T { return 0i; }\nfn combine(l: T, r: T) -> T {\n    return l + 1u;\n}";
        assert!(says(wrong_type).contains("operator:3:12"), "{}", says(wrong_type));
        let collides = "fn identity() -> T { return 0i; } fn grow(l: T) -> T { return l; }
            fn combine(l: T, r: T) -> T { return l + r; }";
        assert!(says(collides).contains("operator:1:38"), "{}", says(collides));
        let binds = "@group(0) @binding(9) var<storage> mine: array<i32>;";
        assert!(says(binds).contains("operator:1:1"), "{}", says(binds));
        assert!(says("fn identity() -> T { return 0i; }").contains("combine"));
        // What this crate has of its own, of one word to eleven.
        assert!(Monoid::<u64>::checked(Sum).is_ok());
        assert!(Monoid::<f32>::checked(Min).is_ok());
        assert!(Monoid::<f64>::checked(Sum).is_ok());
        assert!(gpuscan::Exact.checked().is_ok());
        assert!(Monoid::<[f32; 2]>::checked(Affine).is_ok());
    }

    #[test]
    fn broken_laws() {
        let device = Device::cpu();
        let odd = Odd { combine: |a, b| a.wrapping_add(b).max(3), identity: 0, wgsl: SUM };
        finds(
            &odd,
            &device,
            &["operators::checks::Odd", "expected the identity e = 0", "⊕ ", "= 3 for x = "],
        );
        let average = |a: i32, b: i32| {
            if a == 0 {
                b
            } else if b == 0 {
                a
            } else {
                a.wrapping_add(b) / 2
            }
        };
        let odd = Odd { combine: average, identity: 0, wgsl: SUM };
        finds(&odd, &device, &["expected an associative operator", "(a ⊕ b) ⊕ c = ", "for a = ", "c = "]);
        let odd = Odd { combine: i32::wrapping_add, identity: 0, wgsl: SUM };
        odd.check(&device).expect("a monoid");
    }

    #[test]
    fn two_texts_that_differ() {
        for device in everywhere() {
            Odd { combine: i32::wrapping_add, identity: 0, wgsl: SUM }.check(&device).expect("a monoid");
            if device.is_cpu() {
                continue;
            }
            let or = "fn identity() -> T { return 0i; } fn combine(l: T, r: T) -> T { return l | r; }";
            let odd = Odd { combine: i32::wrapping_add, identity: 0, wgsl: or };
            finds(&odd, &device, &["expected WGSL to give what Rust gives", "a ⊕ b for a = "]);
            let seven = "fn identity() -> T { return 7i; } fn combine(l: T, r: T) -> T { return l + r; }";
            let odd = Odd { combine: i32::wrapping_add, identity: 0, wgsl: seven };
            finds(&odd, &device, &["0 (00000000), found 7 (00000007)", "the identity"]);
        }
    }

    /// Whatever can be checked on any value passes.
    #[test]
    fn built_in_operators() {
        fn passes<T: Element>(monoid: impl Monoid<T>) {
            let devices: Vec<Device> = everywhere().collect();
            for device in [&devices[0], &devices[devices.len() - 1]] {
                monoid.check(device).expect("a monoid");
            }
        }
        passes::<f32>(Sum);
        passes::<f64>(Sum);
        passes::<u64>(Product);
        passes::<[f32; 2]>(Affine);
        passes::<[f32; 4]>(MatrixProduct);
        passes::<IndexedF32>(ArgMin);
        passes::<IndexedI32>(Last(IndexedI32 { value: 0, index: 1 }));
        LogicalAnd.check_on(&Device::cpu(), &[0, 1]).expect("a monoid");
    }
}
