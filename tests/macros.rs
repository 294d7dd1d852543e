//! Operators written once: what a device makes of the translation against what the CPU makes of the Rust.

mod common;

use std::fmt::Debug;

use common::{canonical, checker::scanned, devices, everywhere, inputs::hashes, sized};
use gpuscan::{
    Algorithm, Element, GpuScan, Monoid,
    bytemuck::{self, Pod, Zeroable},
    function, monoid, order,
};

macro_rules! element {
    ($name:ident { $($field:ident: $type:ty),+ }) => {
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Element)]
        #[bytemuck(crate = "gpuscan::bytemuck")]
        struct $name {
            $($field: $type),+
        }
    };
}

element!(Affine { slope: f32, offset: f32 });
element!(Bicyclic { closing: u32, opening: u32 });
element!(Interval { low: f32, high: f32 });
element!(Counter { step: i32, low: i32, high: i32 });
element!(Best { score: f32, place: u32 });
element!(Nested { best: Best, corner: [f32; 3], count: i32 });

/// First `left`, then `right`.
#[monoid(identity = Affine { slope: 1.0, offset: 0.0 })]
fn compose(left: Affine, right: Affine) -> Affine {
    Affine { slope: right.slope * left.slope, offset: right.slope * left.offset + right.offset }
}

/// What is left of parentheses when matching ones are struck out: `closing` times `)`, then `opening` times `(`.
#[monoid(identity = Bicyclic { closing: 0, opening: 0 })]
fn cancel(left: Bicyclic, right: Bicyclic) -> Bicyclic {
    let matched = left.opening.min(right.closing);
    Bicyclic {
        closing: left.closing + right.closing - matched,
        opening: left.opening + right.opening - matched,
    }
}

#[monoid(identity = Interval { low: f32::NEG_INFINITY, high: f32::INFINITY })]
fn intersect(left: Interval, right: Interval) -> Interval {
    Interval { low: left.low.max(right.low), high: left.high.min(right.high) }
}

/// A counter that stays between two bounds: x ↦ clamp(x + step, low, high).
#[monoid(identity = Counter { step: 0, low: i32::MIN, high: i32::MAX })]
fn count(left: Counter, right: Counter) -> Counter {
    Counter {
        step: left.step.saturating_add(right.step),
        low: left.low.saturating_add(right.step).clamp(right.low, right.high),
        high: left.high.saturating_add(right.step).clamp(right.low, right.high),
    }
}

/// The greatest score, and where it was first.
#[monoid(identity = Best { score: f32::NEG_INFINITY, place: u32::MAX })]
fn better(left: Best, right: Best) -> Best {
    if right.score > left.score || left.place == u32::MAX {
        return right;
    }
    left
}

#[function]
fn row_times_column(row: [f32; 2], column: [f32; 2]) -> f32 {
    row[0] * column[0] + row[1] * column[1]
}

#[monoid(Rotations, identity = [1.0, 0.0, 0.0, 1.0])]
fn product(left: [f32; 4], right: [f32; 4]) -> [f32; 4] {
    let upper = [left[0], left[1]];
    let lower = [left[2], left[3]];
    let first = [right[0], right[2]];
    let second = [right[1], right[3]];
    [
        row_times_column(upper, first),
        row_times_column(upper, second),
        row_times_column(lower, first),
        row_times_column(lower, second),
    ]
}

#[monoid(Fibonacci, identity = [1, 0, 0, 1])]
fn integer_product(left: [u32; 4], right: [u32; 4]) -> [u32; 4] {
    [
        left[0] * right[0] + left[1] * right[2],
        left[0] * right[1] + left[1] * right[3],
        left[2] * right[0] + left[3] * right[2],
        left[2] * right[1] + left[3] * right[3],
    ]
}

/// All kinds of parts in one element.
#[monoid(identity = Nested { best: Best { score: 0.0, place: 0 }, corner: [f32::INFINITY; 3], count: 0 })]
fn nest(left: Nested, right: Nested) -> Nested {
    let mut both = Nested { best: better(left.best, right.best), ..right };
    both.corner[0] = both.corner[0].min(left.corner[0]);
    both.corner[2] = both.corner[2].min(left.corner[2]);
    both.count += left.count;
    both
}

/// As many as tiles need to meet their ends.
fn lens() -> &'static [usize] {
    sized(&[0, 1, 2, 5, 255, 1000, 4097, 70_001], &[1, 5, 1000, 4097])
}

/// Every word of a value.
fn words<T: Element>(value: &T) -> &[u32] {
    bytemuck::cast_slice(bytemuck::bytes_of(value))
}

#[track_caller]
fn assert_same<T: Element>(found: &[T], expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: the length");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(words(found) == words(expected), "{what}, at {i}: expected {expected:?}, found {found:?}");
    }
}

fn sequential<T: Element, M: Monoid<T>>(monoid: &M, values: &[T]) -> Vec<T> {
    let mut before = None;
    let fold = |&value: &T| {
        let next = before.map_or(value, |before| monoid.combine(before, value));
        before = Some(next);
        next
    };
    values.iter().map(fold).collect()
}

/// Scans of random elements, by every canonical algorithm, against the canonical order in Rust. An operator whose
/// results do not depend on the order (`exact`) has to agree with a plain fold, too.
fn check<T: Element, M: Monoid<T> + Copy + Debug>(monoid: M, exact: bool, sample: impl Fn(u64) -> T) {
    for &len in lens() {
        let values: Vec<T> = hashes(len as u64).take(len).map(&sample).collect();
        let mut inclusive = values.clone();
        order::scan(&monoid, &mut inclusive);
        if exact {
            assert_same(&inclusive, &sequential(&monoid, &values), &format!("{monoid:?} in order, of {len}"));
        }
        for device in everywhere() {
            for algorithm in canonical(len) {
                // What a tile of any of these holds.
                if algorithm == Algorithm::SingleTile && len > 1000 {
                    continue;
                }
                let scan = GpuScan::with_monoid(&device, monoid).algorithm(algorithm);
                let what = format!("{monoid:?} by {algorithm} on {device}, of {len}");
                assert_same(&scanned(&scan, &device, false, &values), &inclusive, &what);
            }
        }
    }
}

/// A float in [−1, 1) with a few bits, so that sums of them are exact for a while, and then are not.
fn coordinate(bits: u64) -> f32 {
    (bits as u32 >> 8) as f32 / (1 << 23) as f32 - 1.0
}

#[test]
fn affine_maps() {
    check(Compose, false, |bits| Affine { slope: coordinate(bits), offset: coordinate(bits >> 32) });
}

#[test]
fn parentheses() {
    check(Cancel, true, |bits| Bicyclic { closing: bits as u32 % 4, opening: (bits >> 32) as u32 % 4 });
}

#[test]
fn intervals() {
    let end = |bits: u64| 1e30 * coordinate(bits) * coordinate(bits >> 16);
    check(Intersect, true, |bits| Interval { low: end(bits), high: end(bits >> 20) });
}

#[test]
fn counters_that_saturate() {
    check(Count, true, |bits| Counter {
        step: (bits & 0xff) as i32 - 128,
        low: (bits >> 8 & 0xff) as i32 - 200,
        high: (bits >> 16 & 0xff) as i32 + 100,
    });
}

#[test]
fn the_best_and_where() {
    check(Better, true, |bits| Best { score: (bits & 0xfff) as f32, place: (bits >> 32) as u32 >> 1 });
}

#[test]
fn rotations() {
    check(Rotations, false, |bits| {
        let angle = coordinate(bits) * std::f32::consts::PI;
        [angle.cos(), -angle.sin(), angle.sin(), angle.cos()]
    });
}

#[test]
fn random_integer_matrices() {
    check(Fibonacci, true, |bits| {
        [bits as u32, (bits >> 16) as u32, (bits >> 32) as u32, (bits >> 48) as u32]
    });
}

/// In a test of its own: software drivers take long to compile its kernel.
#[test]
fn in_a_single_pass() {
    let len = sized(70_001, 4097);
    let values: Vec<Affine> = hashes(7)
        .take(len)
        .map(|bits| Affine { slope: coordinate(bits), offset: coordinate(bits >> 32) })
        .collect();
    let mut expected = values.clone();
    order::scan(&Compose, &mut expected);
    for device in everywhere() {
        let scan = GpuScan::with_monoid(&device, Compose).algorithm(Algorithm::SinglePass);
        assert_same(&scanned(&scan, &device, false, &values), &expected, &format!("{device}"));
    }
}

#[test]
fn fibonacci_numbers() {
    let count = sized(1_000_000, 10_000);
    for device in everywhere() {
        let scan = GpuScan::with_monoid(&device, Fibonacci);
        let powers = scanned(&scan, &device, false, &vec![[1, 1, 1, 0]; count]);
        let mut pair = (0u32, 1u32);
        for (n, power) in powers.iter().enumerate() {
            pair = (pair.1, pair.0.wrapping_add(pair.1));
            assert_eq!(power[1], pair.0, "F({}) on {device}", n + 1);
        }
    }
}

#[test]
fn elements_within_elements() {
    check(Nest, false, |bits| Nested {
        best: Best { score: coordinate(bits), place: bits as u32 },
        corner: [coordinate(bits >> 8), coordinate(bits >> 16), coordinate(bits >> 24)],
        count: (bits >> 32) as i32,
    });
}

/// Operations on their own. Nothing here is associative, but the canonical order says what is combined with what, so
/// both sides have to agree on any function at all.
mod operations {
    use super::*;

    /// Bits of all kinds, edges among them.
    fn awkward(bits: u64) -> u32 {
        const EDGES: [u32; 12] = [
            0,
            1,
            u32::MAX,
            i32::MIN as u32,
            i32::MAX as u32,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0001,
            0x4f00_0000,
            0xcf00_0000,
            0x4f80_0000,
            0x3f80_0000,
        ];
        match bits >> 32 & 3 {
            0 => EDGES[bits as usize % EDGES.len()],
            1 => bits as u32 & 0x1f,
            _ => bits as u32,
        }
    }

    /// Bits of floats that are zero or normal: a device may flush the others to zero.
    fn awkward_float(bits: u64) -> f32 {
        let float = f32::from_bits(awkward(bits));
        if float.is_subnormal() { -0.0 } else { float }
    }

    fn agree<T: Element, M: Monoid<T> + Copy + Debug>(
        monoid: M,
        sample: impl Fn(u64) -> T,
        same: impl Fn(T, T) -> bool,
    ) {
        let values: Vec<T> = hashes(99).take(4000).map(&sample).collect();
        let mut expected = values.clone();
        order::scan(&monoid, &mut expected);
        for tested in devices() {
            let scan = GpuScan::with_monoid(&tested.device, monoid);
            let found = scanned(&scan, &tested.device, false, &values);
            for (i, (&found, &expected)) in found.iter().zip(&expected).enumerate() {
                assert!(same(found, expected), "{monoid:?} at {i}: expected {expected:?}, found {found:?}");
            }
        }
    }

    macro_rules! agreements {
        ($($test:ident($left:ident, $right:ident: $type:ident) $body:block)+) => {
            $(mod $test {
                use super::*;

                #[monoid(Operation, identity = 0 as $type)]
                fn operation($left: $type, $right: $type) -> $type $body

                #[test]
                fn is_the_same_everywhere() {
                    agree(Operation, |bits| agreements!(@sample $type bits), |found: $type, expected: $type| {
                        agreements!(@same $type found expected)
                    });
                }
            })+
        };
        (@sample f32 $bits:ident) => { awkward_float($bits) };
        (@sample $type:ident $bits:ident) => { awkward($bits) as $type };
        (@same f32 $found:ident $expected:ident) => {
            $found.to_bits() == $expected.to_bits() || ($found.is_nan() && $expected.is_nan())
        };
        (@same $type:ident $found:ident $expected:ident) => { $found == $expected };
    }

    agreements! {
        unsigned_arithmetic(a, b: u32) {
            (a / b + a % (b & 7)) * 3 - (b - a) / (a | 1)
        }
        signed_arithmetic(a, b: i32) {
            a / b - a % b + b * -3
        }
        signed_extremes(a, b: i32) {
            (a.min(b) ^ a.max(b).clamp(-100, 1000)) + b.abs()
        }
        saturation(a, b: i32) {
            a.saturating_add(b).wrapping_sub(b.saturating_sub(a))
        }
        unsigned_saturation(a, b: u32) {
            a.saturating_add(b) ^ b.saturating_sub(a)
        }
        signed_shifts(a, b: i32) {
            (a << b as u32) ^ (a >> (b as u32 & 63)) ^ !b
        }
        unsigned_shifts(a, b: u32) {
            (a << b) | (b >> a) ^ 0xff
        }
        counts_of_bits(a, b: u32) {
            a.count_ones() * 31 + b.leading_zeros() * 7 + (a as i32).trailing_zeros() - (b as i32).leading_zeros()
        }
        truth(a, b: u32) {
            let c = a > b;
            let d = (a & 1 == 1) ^ c;
            if c && !d || a == 7 { a + b } else if d | (b != 3) { a ^ b } else { c as u32 }
        }
        float_to_integer(a, b: u32) {
            let x = f32::from_bits(a);
            let y = f32::from_bits(b ^ 0x4000_0000);
            (x as u32 ^ y as i32 as u32) + x.is_nan() as u32
        }
        integer_to_float(a, b: u32) {
            // Both exact: a device may round an integer of more bits either way.
            ((a >> 8) as f32 - (b as i32 >> 8) as f32 * 0.5).to_bits()
        }
        float_extremes(a, b: f32) {
            if a.is_nan() { b.min(0.0) } else { a.min(b).max(-b) }
        }
        float_clamps(a, b: f32) {
            b.clamp(-1.0, 2.0).max(a).abs()
        }
        float_rounding(a, b: f32) {
            let halves = (a * 0.5).clamp(-1e6, 1e6);
            halves.floor() - (b.clamp(-1e6, 1e6) * 0.37).ceil() + halves.trunc()
        }
        products_are_rounded(a, b: f32) {
            let x = a.clamp(-3.0, 3.0);
            let y = b.clamp(-3.0, 3.0);
            let z = x * y - 1.1;
            z * x + y * 0.3 - z
        }
        returns(a, b: f32) {
            if a > b {
                return b;
            }
            let mut sum = if a < 0.0 { if b > 0.0 { a } else { -a } } else { 0.5 };
            if sum == 0.5 {
                sum += b;
            }
            sum
        }
    }
}

/// As far from associative as can be.
#[monoid(identity = 0, by_runs)]
fn tell_apart(left: u32, right: u32) -> u32 {
    left.wrapping_mul(0x9e37_79b1) ^ right.wrapping_mul(0x85eb_ca77)
}

#[test]
fn operators_go_by_runs_if_they_say_so() {
    let input: Vec<u32> = hashes(3).take(1000).map(|bits| bits as u32).collect();
    let mut wanted = input.clone();
    order::scan_by_runs(&TellApart, None, false, &mut wanted);
    let mut canonical = input.clone();
    order::scan(&TellApart, &mut canonical);
    assert!(TellApart.by_runs() && wanted != canonical);
    for device in everywhere() {
        let data = device.upload(&input).expect("upload");
        let found = GpuScan::with_monoid(&device, TellApart).inclusive(&data).expect("a scan");
        assert_eq!(found.to_vec().expect("download"), wanted, "{device}");
    }
}
