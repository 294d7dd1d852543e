//! Sums of floats better than one by one: exact ones against big integers, compensated ones against both.

mod common;

use common::{
    everywhere,
    inputs::{hashes, uniform, values},
    oracle::{assert_bits, naive_by_runs},
    own, sized,
};
use gpuscan::{Algorithm, Compensated, Device, Exact, ExactSum, GpuScan, Map, Monoid};
use proptest::{
    prelude::*,
    test_runner::{RngSeed, TestRunner},
};

/// A whole multiple of 2^-149 in digits of 16 bits, the lowest first, each too large or negative until it is read.
struct Big([i64; 24]);

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl Big {
    fn add(&mut self, value: f32) {
        // 2^-149 is the smallest float: as an f64 it is a normal number.
        let bits = f64::from(value.abs()).to_bits();
        if bits == 0 {
            return;
        }
        let (exponent, significand) = ((bits >> 52) as i32 - 1023, bits & ((1 << 52) - 1) | 1 << 52);
        // The lowest 29 bits of an f64 that was an f32 are zero.
        let (mut significand, mut shift) = ((significand >> 29) as i64, exponent - 23 + 149);
        if shift < 0 {
            significand >>= -shift;
            shift = 0;
        }
        let digit = (shift / 16) as usize;
        self.0[digit] += (significand << (shift % 16)) * if value < 0.0 { -1 } else { 1 };
    }

    /// Rounded as IEEE 754 has it: to nearest, ties to even. Zero is 0.0.
    fn nearest(&self) -> f32 {
        let digits = |sign: i64| {
            let mut carry = 0;
            let digits = self.0.map(|digit| {
                let all = sign * digit + carry;
                carry = all >> 16;
                all & 0xffff
            });
            (digits, carry)
        };
        let (sign, digits) = match digits(1) {
            (digits, 0) => (1.0, digits),
            _ => (-1.0, digits(-1).0),
        };
        let bits = digits.iter().rev().flat_map(|digit| (0..16).rev().map(move |bit| digit >> bit & 1));
        let bits: Vec<i64> = bits.skip_while(|&bit| bit == 0).collect();
        let number = |bits: &[i64]| bits.iter().fold(0, |number, bit| 2 * number + bit);
        if bits.len() <= 24 {
            return (sign * number(&bits) as f64 * power_of_two(-149)) as f32;
        }
        let (kept, beyond) = bits.split_at(24);
        let mut significand = number(kept);
        if beyond[0] == 1 && (beyond[1..].contains(&1) || significand % 2 == 1) {
            significand += 1;
        }
        (sign * significand as f64 * power_of_two(beyond.len() as i32 - 149)) as f32
    }
}

/// The nearest float to every prefix of finite floats.
fn exact(input: &[f32]) -> Vec<f32> {
    let mut sum = Big([0; 24]);
    let mut only_minus_zeros = true;
    input
        .iter()
        .map(|&value| {
            sum.add(value);
            only_minus_zeros &= value.to_bits() == 0x8000_0000;
            if only_minus_zeros { -0.0 } else { sum.nearest() }
        })
        .collect()
}

#[test]
fn the_oracle_rounds_as_conversions_do() {
    for bits in hashes(1).take(10_000) {
        let scaled = (bits as i64 >> (bits % 40)) as i128;
        let mut sum = Big([0; 24]);
        // In pieces that are floats.
        for piece in 0..4 {
            let digit = (scaled.unsigned_abs() >> (16 * piece) & 0xffff) as f32;
            sum.add(digit * ((16 * piece) as f32).exp2() * scaled.signum() as f32);
        }
        assert_eq!(sum.nearest(), scaled as f32, "{scaled}");
    }
}

/// Floats of every exponent, subnormal ones too, then all of them taken away again in another order, and what
/// is left is small.
fn cancelling(seed: u64, len: usize) -> Vec<f32> {
    let any = |bits: u64| {
        let value = f32::from_bits(bits as u32);
        if value.is_finite() { value } else { f32::from_bits(bits as u32 & 0x80ff_ffff) }
    };
    let half: Vec<f32> = hashes(seed).take(len / 2).map(any).collect();
    let mut input = half.clone();
    input.extend(half.iter().rev().map(|value| -value));
    input.extend(
        hashes(seed + 1).take(len - input.len()).map(|bits| f32::from_bits(bits as u32 & 0x81ff_ffff)),
    );
    input
}

/// 2^32 and 2^64 of the smallest float.
const SECOND_WORD: f32 = f32::from_bits(10 << 23);
const THIRD_WORD: f32 = f32::from_bits(42 << 23);

const CASES: [&[f32]; 12] = [
    // Halves, to even, and just not halves.
    &[16_777_216.0, 1.0, 1.0, 1.0, 1e-45, 1.0],
    &[16_777_218.0, 1.0, -1e-45],
    &[-16_777_218.0, -1.0, 1e-45],
    // Overflow and back; half of the last place of the largest float rounds to infinity.
    &[f32::MAX, f32::MAX, -f32::MAX, f32::MAX, -f32::MAX, -f32::MAX, -f32::MAX],
    &[f32::MAX, 1.014_120_5e31, -1e-45, -1.014_120_5e31],
    // Subnormal numbers, and up to normal ones.
    &[1e-45, 1e-45, -3e-45, 1.175_494_2e-38, 1e-45, 1e-45, 1.175_494_4e-38],
    // Zeros and their signs.
    &[-0.0, -0.0, 0.0, -0.0],
    &[-0.0, 1.0, -1.0, -0.0],
    &[1e30, 1.0, -1e30, 1e-30, -1.0],
    // Nothing but one bit of a word, of both signs, and one more or less.
    &[-1e-45, -SECOND_WORD, 1e-45, 1e-45, 1e-45],
    &[-SECOND_WORD, -1e-45, 1e-45, SECOND_WORD, SECOND_WORD, -1e-45],
    &[-THIRD_WORD, -1e-45, SECOND_WORD, 1e-45, 1e-45, THIRD_WORD, -SECOND_WORD],
];

#[test]
fn exact_sums_on_the_host() {
    let scan = GpuScan::exact(&Device::cpu());
    for case in CASES {
        let found: Vec<f32> = scan.inclusive_slice(case).expect("a scan");
        assert_bits(&found, &exact(case), format_args!("{case:?}"));
    }
    let config = ProptestConfig {
        cases: sized(200, 50),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5ca9),
        ..Default::default()
    };
    TestRunner::new(config)
        .run(&(any::<u64>(), 0usize..500), |(seed, len)| {
            let input = cancelling(seed, len);
            let found: Vec<f32> = scan.inclusive_slice(&input).expect("a scan");
            assert_bits(&found, &exact(&input), format_args!("{len} from {seed}"));
            Ok(())
        })
        .expect("every sum is the nearest");
}

/// Infinities and NaN are as in any sum.
const ENDLESS: [(&[f32], &[f32]); 3] = [
    (
        &[1.0, f32::INFINITY, -1.0, f32::NEG_INFINITY, 1.0],
        &[1.0, f32::INFINITY, f32::INFINITY, f32::NAN, f32::NAN],
    ),
    (&[f32::NEG_INFINITY, f32::MAX, f32::MAX], &[f32::NEG_INFINITY; 3]),
    (&[2.0, f32::NAN, f32::INFINITY], &[2.0, f32::NAN, f32::NAN]),
];

#[test]
fn exact_sums_on_devices() {
    // Rows of eight, each a case, and one long row.
    let mut rows = Vec::new();
    let mut wanted = Vec::new();
    for case in CASES {
        let row: Vec<f32> = case.iter().copied().chain([0.0; 8]).take(8).collect();
        wanted.extend(exact(&row));
        rows.extend(row);
    }
    for (case, sums) in ENDLESS {
        rows.extend(case.iter().copied().chain([0.0; 8]).take(8));
        wanted.extend(sums.iter().copied().chain([sums[sums.len() - 1]; 8]).take(8));
    }
    let long = cancelling(7, 5000);
    let long_sums = exact(&long);
    for device in everywhere() {
        let scan = GpuScan::exact(&device);
        let data = device.upload(&rows).expect("upload");
        let found: Vec<f32> = scan.of(&data).rows(8).run().expect("a scan").to_vec().expect("download");
        for (row, (found, wanted)) in rows.chunks(8).zip(found.chunks(8).zip(wanted.chunks(8))) {
            assert_bits(found, wanted, format_args!("{row:?} on {device}"));
        }
        let data = device.upload(&long).expect("upload");
        scan.inclusive_in_place(&data).expect("a scan");
        assert_bits(&data.to_vec().expect("download"), &long_sums, format_args!("on {device}"));
    }
}

/// Floats whose exponents are of a range of so many from `lowest` on, of either sign.
fn ranging(seed: u64, lowest: u32, range: u32, len: usize) -> Vec<f32> {
    let float = |bits: u64| {
        let exponent = lowest + (bits >> 40) as u32 % range;
        f32::from_bits((bits as u32 & 0x807f_ffff) | exponent << 23)
    };
    hashes(seed).take(len).map(float).collect()
}

/// What a window of 96 bits does not hold, or just holds: runs of sixteen are done in those on GPUs.
fn for_windows() -> Vec<Vec<f32>> {
    let len = sized(9001, 5001);
    let two = |exponent: i32| (exponent as f32).exp2();
    let mut all = vec![
        values::<f32>(3, len),
        cancelling(5, len),
        vec![-0.0; 100].into_iter().chain([0.0, -0.0, 1e-45, -1e-45, -0.0]).collect(),
        vec![0.0; 4100],
        // Halves of the last place, with what decides far below, in the same run, the one before, and the next tile.
        [two(100), two(76), 1e-45, -1e-45, -1e-45].repeat(40),
        [two(100), two(76)].into_iter().chain([0.0; 4100]).chain([1e-45, -1e-45, -1e-45]).collect(),
        [1e-45].into_iter().chain([0.0; 20]).chain([two(100), two(76), -1e-45, -1e-45]).collect(),
        // Down to nothing and up again, of both signs.
        [two(120), 1.0, -two(120), 1e-40, -1.0, -two(127), 3.0, two(127)].repeat(30),
        [f32::MAX; 40].into_iter().chain([-f32::MAX; 80]).collect(),
    ];
    for (at, endless) in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN].into_iter().enumerate() {
        let mut input = values::<f32>(9, 5000);
        input[50 + 700 * at] = endless;
        input[4200] = f32::NEG_INFINITY;
        all.push(input);
    }
    for (seed, (lowest, range)) in (20..).zip([
        (0, 30),
        (0, 80),
        (20, 60),
        (100, 40),
        (100, 58),
        (100, 64),
        (100, 72),
        (100, 155),
        (180, 75),
    ]) {
        all.push(ranging(seed, lowest, range, len));
    }
    all.extend(CASES.map(|case| case.repeat(9)));
    all
}

/// As GPUs have it, where software drivers would be given loops over sums of full length.
#[test]
fn exact_sums_by_windows() {
    let host = GpuScan::exact(&Device::cpu());
    for subgroups in [true, false] {
        let device = own(Device::request().subgroups(subgroups).tile_log2(12));
        let scan = GpuScan::exact(&device);
        for (case, input) in for_windows().into_iter().enumerate() {
            let what = format!("case {case} on {device}");
            let data = device.upload(&input).expect("upload");
            let wanted: Vec<f32> = host.inclusive_slice(&input).expect("a scan");
            if input.iter().all(|value| value.is_finite()) {
                assert_bits(&wanted, &exact(&input), format_args!("{what}, on the host"));
            }
            let found: Vec<f32> = scan.inclusive(&data).expect("a scan").to_vec().expect("download");
            assert_bits(&found, &wanted, &what);
            let moved: Vec<f32> = host.exclusive_slice(&input).expect("a scan");
            let found: Vec<f32> = scan.exclusive(&data).expect("a scan").to_vec().expect("download");
            assert_bits(&found, &moved, format_args!("{what}, exclusive"));
            let part = data.slice(1..input.len() - 2).expect("a part");
            let found: Vec<f32> = scan.inclusive(&part).expect("a scan").to_vec().expect("download");
            let of_part: Vec<f32> = host.inclusive_slice(&input[1..input.len() - 2]).expect("a scan");
            assert_bits(&found, &of_part, format_args!("{what}, a part"));
            for start in [ExactSum::default(), Exact.apply(-0.0), Exact.apply(3e30), Exact.apply(-1e-45)] {
                let run = |device: &Device| -> Result<Vec<f32>, gpuscan::Error> {
                    let data = device.upload(&input)?;
                    let scan = GpuScan::exact(device);
                    scan.of(&data).exclusive().starting_from(start).run::<f32>()?.to_vec()
                };
                let (found, wanted) = (run(&device).expect("a scan"), run(&Device::cpu()).expect("a scan"));
                assert_bits(&found, &wanted, format_args!("{what}, from {start:?}"));
            }
            scan.inclusive_in_place(&data).expect("a scan");
            assert_bits(&data.to_vec().expect("download"), &wanted, format_args!("{what}, in place"));
        }
        // Short and long rows.
        for len in [5, 7, 12, 40, 900] {
            let run = |device: &Device| -> Result<Vec<f32>, gpuscan::Error> {
                let data = device.upload(&ranging(7, 90, 66, 5 * 9 * 7 * 40))?;
                GpuScan::exact(device).of(&data.slice(..12_600 / len * len)?).rows(len).run()?.to_vec()
            };
            let (found, wanted) = (run(&device).expect("a scan"), run(&Device::cpu()).expect("a scan"));
            assert_bits(&found, &wanted, format_args!("rows of {len} on {device}"));
        }
    }
}

/// The sums of pairs, as a type of elements of their own.
fn pairs(input: &[f32]) -> Vec<[f32; 2]> {
    input.iter().map(|&value| Compensated.apply(value)).collect()
}

#[test]
fn compensated_sums_are_the_same_everywhere() {
    let mut input = values::<f32>(11, sized(20_001, 9001));
    // A device may flush what is subnormal: errors far below the smallest value are.
    input.iter_mut().for_each(|value| *value *= 1024.0);
    for device in everywhere() {
        for (algorithm, len) in [(Algorithm::Auto, 700), (Algorithm::ThreePass, input.len())] {
            let data = device.upload(&input[..len]).expect("upload");
            let scan = GpuScan::compensated(&device).algorithm(algorithm);
            let found: Vec<f32> = scan.inclusive(&data).expect("a scan").to_vec().expect("download");
            let wanted: Vec<f32> = naive_by_runs(&Compensated, None, &pairs(&input[..len]), false)
                .iter()
                .map(|&sum| Compensated.apply(sum))
                .collect();
            assert_bits(&found, &wanted, format_args!("{len} by {algorithm} on {device}"));
        }
        // Zeros keep their sign, and what is endless stays.
        let case = [-0.0f32, -0.0, 1e8, 1.0, 1.0, -1e8, f32::INFINITY, 1.0, f32::NEG_INFINITY];
        let data = device.upload(&case).expect("upload");
        let found: Vec<f32> =
            GpuScan::compensated(&device).inclusive(&data).expect("a scan").to_vec().expect("download");
        let inf = f32::INFINITY;
        assert_bits(&found, &[-0.0, -0.0, 1e8, 1e8, 1e8, 2.0, inf, inf, f32::NAN], &device);
    }
}

/// How far sums are from the true ones, in units of the last place.
fn worst(found: &[f32], wanted: &[f32]) -> f64 {
    let error = |(&found, &wanted): (&f32, &f32)| {
        let last_place = f64::from(wanted.abs().next_up()) - f64::from(wanted.abs());
        (f64::from(found) - f64::from(wanted)).abs() / last_place
    };
    found.iter().zip(wanted).map(error).fold(0.0, f64::max)
}

/// Sums that two floats hold are as good as exact; one float does not hold them.
#[test]
fn compensated_sums_are_nearly_exact() {
    let device = Device::cpu();
    // Multiples of 2^-24, and never a sum of a thousand.
    let input: Vec<f32> = hashes(5).take(300_000).map(|bits| uniform(bits) - 0.5).collect();
    let wanted: Vec<f32> = GpuScan::exact(&device).inclusive_slice(&input).expect("a scan");
    let compensated: Vec<f32> = GpuScan::compensated(&device).inclusive_slice(&input).expect("a scan");
    let plain: Vec<f32> = GpuScan::new(&device).inclusive_slice(&input).expect("a scan");
    assert_bits(&compensated, &wanted, "compensated");
    assert!(worst(&plain, &wanted) > 1.0);
}

/// The order of an exact sum counts for nothing.
#[test]
fn exact_sums_are_associative() {
    let samples: Vec<ExactSum> = cancelling(3, 24).iter().map(|&value| Exact.apply(value)).collect();
    for device in everywhere() {
        Exact.check_on(&device, &samples).expect("a monoid");
    }
}
