//! Laws of scans on random inputs, lengths and places. The cases are the same in every run.

mod common;

use common::{
    algorithms,
    checker::{Case, Placement, Sharing, Way, scanned},
    devices,
    inputs::{Sample, values},
    oracle::{assert_bits, expected},
    sized,
};
use gpuscan::{Algorithm, Device, GpuScan, Monoid, Sum};
use proptest::{
    prelude::*,
    test_runner::{RngSeed, TestRunner},
};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: sized(cases, cases / 4),
        // Nothing is written next to the sources: a failure comes back with the seed.
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5ca9),
        ..Default::default()
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    U32,
    I32,
    F32,
}

/// Any scan there can be.
#[derive(Clone, Debug)]
struct Any {
    kind: Kind,
    seed: u64,
    len: usize,
    algorithm: Algorithm,
    exclusive: bool,
    placement: Placement,
    way: Way,
    /// Of the devices under test.
    device: prop::sample::Index,
}

/// Mostly short, with a liking for what lies at powers of two.
fn lens() -> impl Strategy<Value = usize> {
    let around_powers =
        (0u32..=15, 0usize..=2).prop_map(|(log2, more)| ((1 << log2) + more).saturating_sub(1));
    prop_oneof![2 => 0usize..600, 2 => around_powers, 1 => 600usize..40_000]
}

fn any_scan() -> impl Strategy<Value = Any> {
    let sharing = prop::sample::select(vec![
        Sharing::Separate,
        Sharing::InPlace,
        Sharing::InputFirst,
        Sharing::OutputFirst,
    ]);
    let placement = (sharing, 0usize..70, 0usize..70, 0usize..6)
        .prop_map(|(sharing, a, b, after)| Placement { sharing, before: [a, b], after });
    (
        prop::sample::select(vec![Kind::U32, Kind::I32, Kind::F32]),
        any::<u64>(),
        lens(),
        prop::sample::select(algorithms(0).collect::<Vec<_>>()),
        any::<bool>(),
        placement,
        prop::sample::select(vec![Way::Direct, Way::Encoded]),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(kind, seed, len, algorithm, exclusive, placement, way, device)| Any {
            kind,
            seed,
            len: if algorithm == Algorithm::SingleTile { len % 4097 } else { len },
            algorithm,
            exclusive,
            placement,
            way,
            device,
        })
}

fn check<T: Sample>(any: &Any)
where
    Sum: Monoid<T>,
{
    let device = &any.device.get(devices()).device;
    let input = values::<T>(any.seed, any.len);
    Case {
        device,
        scan: &GpuScan::new(device).algorithm(any.algorithm),
        exclusive: any.exclusive,
        placement: any.placement,
        input: &input,
        expected: &expected(&Sum, any.algorithm, &input, any.exclusive),
        what: &format!("{any:?}"),
    }
    .check(any.way);
}

#[test]
fn any_scan_anywhere_is_right() {
    TestRunner::new(config(400))
        .run(&any_scan(), |any| {
            match any.kind {
                Kind::U32 => check::<u32>(&any),
                Kind::I32 => check::<i32>(&any),
                Kind::F32 => check::<f32>(&any),
            }
            Ok(())
        })
        .expect("every case is right");
}

/// A prefix of the input gives a prefix of the result, bit by bit: what comes later changes nothing.
#[test]
fn a_prefix_gives_a_prefix() {
    let strategy = (any::<u64>(), lens(), any::<prop::sample::Index>());
    TestRunner::new(config(60))
        .run(&strategy, |(seed, len, cut)| {
            let floats = values::<f32>(seed, len);
            let cut = cut.index(len + 1);
            for tested in devices() {
                let scan = GpuScan::new(&tested.device);
                let whole = scanned(&scan, &tested.device, false, &floats);
                let part = scanned(&scan, &tested.device, false, &floats[..cut]);
                assert_bits(&part, &whole[..cut], format_args!("{cut} of {len}, {}", tested.name));
            }
            Ok(())
        })
        .expect("every case is right");
}

/// Each inclusive sum is the exclusive one before it and the element; the exclusive ones are the inclusive
/// ones, moved.
#[test]
fn inclusive_and_exclusive_belong_together() {
    let strategy = (any::<u64>(), lens(), prop::sample::select(algorithms(0).collect::<Vec<_>>()));
    TestRunner::new(config(60))
        .run(&strategy, |(seed, len, algorithm)| {
            let len = if algorithm == Algorithm::SingleTile { len % 4097 } else { len };
            let numbers = values::<i32>(seed, len);
            for device in common::everywhere() {
                let scan = GpuScan::new(&device).algorithm(algorithm);
                let inclusive = scanned(&scan, &device, false, &numbers);
                let exclusive = scanned(&scan, &device, true, &numbers);
                for (i, number) in numbers.iter().enumerate() {
                    prop_assert_eq!(inclusive[i], exclusive[i].wrapping_add(*number));
                    prop_assert!(i == 0 || exclusive[i] == inclusive[i - 1]);
                }
                prop_assert!(exclusive.first().is_none_or(|&first| first == 0));
            }
            Ok(())
        })
        .expect("every case is right");
}

/// Host slices, too, come out alike wherever they are scanned.
#[test]
fn slices_are_scanned_alike_everywhere() {
    let strategy =
        (any::<u64>(), lens(), any::<bool>(), prop::sample::select(algorithms(0).collect::<Vec<_>>()));
    TestRunner::new(config(100))
        .run(&strategy, |(seed, len, exclusive, algorithm)| {
            let len = if algorithm == Algorithm::SingleTile { len % 4097 } else { len };
            let floats = values::<f32>(seed, len);
            let on = |device: &Device| {
                let scan = GpuScan::new(device).algorithm(algorithm);
                let result =
                    if exclusive { scan.exclusive_slice(&floats) } else { scan.inclusive_slice(&floats) };
                result.expect("a scan")
            };
            let wanted = on(&Device::cpu());
            for tested in devices() {
                assert_bits(&on(&tested.device), &wanted, tested.name);
            }
            Ok(())
        })
        .expect("every case is right");
}
