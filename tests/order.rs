//! The canonical order: one parenthesisation everywhere, and what follows from it.

mod common;

use std::borrow::Cow;

use common::{
    algorithms, canonical,
    checker::scanned,
    everywhere,
    inputs::{exponential, hash, hashes, uniform, values},
    oracle::{assert_bits, expected, naive, same},
    own,
    parenthesis::Parenthesis,
    sized,
};
use gpuscan::{Algorithm, Device, GpuScan, Monoid, Sum, order};

/// Around quads, subgroups, tiles, blocks, and the fold across them.
fn lens() -> Vec<usize> {
    let mut lens = vec![0, 1, 2, 3, 7, 64, 100, 1023, 4097, 12_345];
    lens.extend(sized(
        &[(1 << 18) - 1, 1 << 18, (1 << 18) + 1, 3 * (1 << 18) + 4321][..],
        &[(1 << 18) + 4321],
    ));
    lens
}

/// Every device and the CPU's parallel code against the definition, which `order::scan` is, and that
/// against the definition's words.
#[test]
fn one_order_everywhere() {
    for len in lens() {
        let floats = values::<f32>(1, len);
        let wanted = [false, true].map(|exclusive| naive(&Sum, &floats, exclusive));

        let mut serial = floats.clone();
        order::scan(&Sum, &mut serial);
        assert_bits(&serial, &wanted[0], format_args!("order::scan of {len}"));
        order::shift(&Sum, &mut serial);
        assert_bits(&serial, &wanted[1], format_args!("order::shift of {len}"));
        let mut parallel = floats.clone();
        order::scan_parallel(&Sum, &mut parallel);
        assert_bits(&parallel, &wanted[0], format_args!("order::scan_parallel of {len}"));

        for device in everywhere() {
            for algorithm in canonical(len) {
                let scan = GpuScan::new(&device).algorithm(algorithm);
                for (exclusive, wanted) in [false, true].into_iter().zip(&wanted) {
                    let found = scanned(&scan, &device, exclusive, &floats);
                    let what = format_args!("{algorithm} of {len} on {device}, exclusive: {exclusive}");
                    assert_bits(&found, wanted, what);
                }
            }
        }
    }
}

#[test]
fn the_parentheses_are_where_they_are_said_to_be() {
    // (((a b)(c d)) e): the tree of four, then the left sibling of the fifth.
    let abcde = [1, 2, 3, 4, 5];
    let f = |left, right| Parenthesis.combine(left, right);
    let by_hand = [1, f(1, 2), f(f(1, 2), 3), f(f(1, 2), f(3, 4)), f(f(f(1, 2), f(3, 4)), 5)];
    assert_eq!(naive(&Parenthesis, &abcde, false), by_hand);

    for len in lens() {
        let numbers = values::<u32>(2, len);
        let wanted = [false, true].map(|exclusive| naive(&Parenthesis, &numbers, exclusive));
        for device in everywhere() {
            for algorithm in canonical(len) {
                let scan = GpuScan::with_monoid(&device, Parenthesis).algorithm(algorithm);
                for (exclusive, wanted) in [false, true].into_iter().zip(&wanted) {
                    let found = scanned(&scan, &device, exclusive, &numbers);
                    let what = format_args!("{algorithm} of {len} on {device}, exclusive: {exclusive}");
                    assert_bits(&found, wanted, what);
                }
            }
        }
    }
}

/// Nor does it depend on the size of a tile.
#[test]
fn tiles_of_every_size() {
    let floats = values::<f32>(6, sized((1 << 18) + 4321, 40_000));
    let wanted = naive(&Sum, &floats, false);
    for subgroups in [true, false] {
        for tile_log2 in 10..=13 {
            let device = own(Device::request().subgroups(subgroups).tile_log2(tile_log2));
            for algorithm in [Algorithm::ThreePass, Algorithm::SinglePass] {
                let scan = GpuScan::new(&device).algorithm(algorithm);
                let found = scanned(&scan, &device, false, &floats);
                assert_bits(&found, &wanted, format_args!("{algorithm}, tiles of 2^{tile_log2}, {device}"));
            }
        }
    }
}

/// Sums of non-negative floats never decrease, which a binary search in them relies on.
#[test]
fn sums_of_non_negative_floats_never_decrease() {
    let len = sized(1 << 22, (1 << 19) + 5);
    // From 2^-100 to 2^100, so that most sums leave one side as it is.
    let tiny_and_huge = |bits: u64| uniform(bits) * ((bits % 201) as f32 - 100.0).exp2();
    // Around the least normal number, and sums that come near the largest.
    let least = |bits: u64| uniform(bits) * 2.0 * f32::MIN_POSITIVE;
    let largest = |bits: u64| uniform(bits) * (f32::MAX / len as f32);
    let inputs: [(&str, Vec<f32>); 6] = [
        ("least", hashes(6).map(least).take(len).collect()),
        ("largest", hashes(7).map(largest).take(len).collect()),
        ("uniform", hashes(3).map(uniform).take(len).collect()),
        ("exponential", hashes(4).map(exponential).take(len).collect()),
        ("tiny and huge", hashes(5).map(tiny_and_huge).take(len).collect()),
        (
            "one huge, then tiny",
            (0..len).map(|i| if i == 0 { 1e30 } else { uniform(hash(i as u64)) }).collect(),
        ),
    ];
    for device in everywhere() {
        for algorithm in [Algorithm::Auto, Algorithm::SinglePass] {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            for (name, input) in &inputs {
                let sums = scanned(&scan, &device, false, input);
                let falls = sums.windows(2).filter(|pair| pair[0] > pair[1]).count();
                assert_eq!(falls, 0, "{name} by {algorithm} on {device}");
                assert!(sums.iter().all(|sum| sum.is_finite()), "{name} by {algorithm} on {device}");
            }
        }
    }
}

/// No identity is ever combined in, so that −0 stays −0; only an exclusive scan begins with +0.
#[test]
fn negative_zero_is_kept() {
    for len in [1, 5, 1000, 10_000] {
        let zeros = vec![-0.0f32; len];
        for device in everywhere() {
            for algorithm in canonical(len) {
                let scan = GpuScan::new(&device).algorithm(algorithm);
                let what = format!("{algorithm} of {len} on {device}");
                assert_bits(&scanned(&scan, &device, false, &zeros), &zeros, &what);
                let exclusive = scanned(&scan, &device, true, &zeros);
                assert_bits(&exclusive[..1], &[0.0], &what);
                assert_bits(&exclusive[1..], &zeros[1..], &what);
            }
        }
    }
}

/// An infinity holds from where it stands; meeting the other one it becomes NaN, for good.
#[test]
fn infinities_and_nan_come_out_as_a_chain_gives_them() {
    let len = 20_000;
    let (first, second) = (4567, 13_579);
    let mut floats = vec![1.0f32; len];
    floats[first] = f32::INFINITY;
    floats[second] = f32::NEG_INFINITY;
    let wanted: Vec<f32> = (0..len)
        .map(|i| match i {
            _ if i < first => (i + 1) as f32,
            _ if i < second => f32::INFINITY,
            _ => f32::NAN,
        })
        .collect();
    for device in everywhere() {
        for algorithm in algorithms(len) {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            let found = scanned(&scan, &device, false, &floats);
            assert_bits(&found, &wanted, format_args!("{algorithm} on {device}"));
        }
    }
}

/// Addition on a device that takes subnormal numbers for zeros, of operands and of results.
#[derive(Clone)]
struct FlushingSum;

impl Monoid<f32> for FlushingSum {
    fn identity(&self) -> f32 {
        0.0
    }

    fn combine(&self, left: f32, right: f32) -> f32 {
        let flush = |value: f32| if value.is_subnormal() { 0.0f32.copysign(value) } else { value };
        flush(flush(left) + flush(right))
    }

    fn wgsl(&self) -> Cow<'static, str> {
        unreachable!("this is what a device is compared with")
    }
}

/// WGSL lets a device flush subnormal numbers or keep them. Either way it is the same order, and all of a
/// device's algorithms do alike.
#[test]
fn subnormal_numbers_are_kept_or_flushed() {
    // Of both signs, from the least to twice the least normal number.
    let floats: Vec<f32> =
        hashes(7).map(|bits| f32::from_bits(bits as u32 & 0x80ff_ffff)).take(10_000).collect();
    for device in everywhere() {
        let mut flushed = Vec::new();
        for algorithm in algorithms(floats.len()) {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            let found = scanned(&scan, &device, false, &floats);
            let is = |wanted: &[f32]| found.iter().zip(wanted).all(|(a, b)| same(a, b));
            let keeps = is(&expected(&Sum, algorithm, &floats, false));
            let flushes = is(&expected(&FlushingSum, algorithm, &floats, false));
            assert!(keeps || flushes, "{algorithm} on {device}: neither kept nor flushed");
            flushed.push(flushes);
        }
        assert!(flushed.iter().all(|&one| one == flushed[0]), "{device}: {flushed:?}");
        assert!(!(device.is_cpu() && flushed[0]), "the CPU keeps them");
    }
}
