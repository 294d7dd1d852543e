//! The textbook algorithms round by round, as devices ran them.

mod common;

use common::{
    devices, everywhere,
    inputs::{Sample, values},
    oracle::assert_bits,
};
use gpuscan::{
    Device, Error, Sum,
    trace::{self, Round},
};

const NUMBERS: [u32; 8] = [3, 1, 7, 0, 4, 2, 1, 6];

#[track_caller]
fn assert_rounds(found: &[Round<u32>], wanted: &[(&str, &[u32])], device: &Device) {
    let found: Vec<_> = found.iter().map(|round| (round.name.as_str(), round.values.as_slice())).collect();
    assert_eq!(found, wanted, "{device}");
}

#[test]
fn the_articles_hillis_steele() {
    for device in everywhere() {
        let rounds = trace::hillis_steele(&device, &NUMBERS).expect("a trace");
        let wanted: [(&str, &[u32]); 4] = [
            ("loaded", &NUMBERS),
            ("offset 1", &[3, 4, 8, 7, 4, 6, 3, 7]),
            ("offset 2", &[3, 4, 11, 11, 12, 13, 7, 13]),
            ("offset 4", &[3, 4, 11, 11, 15, 17, 18, 24]),
        ];
        assert_rounds(&rounds, &wanted, &device);
    }
}

#[test]
fn the_articles_six_numbers() {
    for device in everywhere() {
        let rounds = trace::hillis_steele(&device, &[1u32, 2, 3, 4, 5, 6]).expect("a trace");
        let wanted: [(&str, &[u32]); 4] = [
            ("loaded", &[1, 2, 3, 4, 5, 6]),
            ("offset 1", &[1, 3, 5, 7, 9, 11]),
            ("offset 2", &[1, 3, 6, 10, 14, 18]),
            ("offset 4", &[1, 3, 6, 10, 15, 21]),
        ];
        assert_rounds(&rounds, &wanted, &device);
    }
}

#[test]
fn the_articles_blelloch() {
    for device in everywhere() {
        let rounds = trace::blelloch(&device, &NUMBERS).expect("a trace");
        let wanted: [(&str, &[u32]); 8] = [
            ("loaded", &NUMBERS),
            ("up-sweep, offset 1", &[3, 4, 7, 7, 4, 6, 1, 7]),
            ("up-sweep, offset 2", &[3, 4, 7, 11, 4, 6, 1, 13]),
            ("up-sweep, offset 4", &[3, 4, 7, 11, 4, 6, 1, 24]),
            ("root cleared", &[3, 4, 7, 11, 4, 6, 1, 0]),
            ("down-sweep, offset 4", &[3, 4, 7, 0, 4, 6, 1, 11]),
            ("down-sweep, offset 2", &[3, 0, 7, 4, 4, 11, 1, 17]),
            ("down-sweep, offset 1", &[0, 3, 4, 11, 11, 15, 17, 18]),
        ];
        assert_rounds(&rounds, &wanted, &device);
    }
}

type Trace<T> = fn(&Device, &[T]) -> Result<Vec<Round<T>>, Error>;

/// What a device's workgroup memory held, against the CPU's account.
fn same_on_the_cpu<T: Sample>(trace: Trace<T>, lens: impl Iterator<Item = usize>) {
    for len in lens {
        let values = values::<T>(len as u64, len);
        let wanted = trace(&Device::cpu(), &values).expect("a trace");
        for tested in devices() {
            let found = trace(&tested.device, &values).expect("a trace");
            assert_eq!(found.len(), wanted.len(), "rounds of {len} {}", tested.name);
            for (found, wanted) in found.iter().zip(&wanted) {
                assert_eq!(found.name, wanted.name);
                let what = format_args!("{} of {len} {}, {}", T::NAME, found.name, tested.name);
                assert_bits(&found.values, &wanted.values, what);
            }
        }
    }
}

#[test]
fn every_round_of_hillis_steele_is_the_cpus() {
    let lens = || (0..=40).chain([63, 64, 65, 255, 256]);
    same_on_the_cpu::<u32>(trace::hillis_steele, lens());
    same_on_the_cpu::<f32>(trace::hillis_steele, lens());
}

#[test]
fn every_round_of_blelloch_is_the_cpus() {
    let lens = || (0..=40).chain([255, 256, 257, 511, 512]);
    same_on_the_cpu::<i32>(trace::blelloch, lens());
    same_on_the_cpu::<f32>(trace::blelloch, lens());
}

/// The last round is the scan.
#[test]
fn the_last_round_is_the_result() {
    let numbers = values::<u32>(1, 200);
    for device in everywhere() {
        let scan = gpuscan::GpuScan::with_monoid(&device, Sum);
        let (mut inclusive, mut exclusive) = (Vec::new(), Vec::new());
        if let Some(round) = trace::hillis_steele(&device, &numbers).expect("a trace").pop() {
            inclusive = round.values;
        }
        if let Some(round) = trace::blelloch(&device, &numbers).expect("a trace").pop() {
            exclusive = round.values[..numbers.len()].to_vec();
        }
        assert_eq!(inclusive, scan.inclusive_slice(&numbers).expect("a scan"), "{device}");
        assert_eq!(exclusive, scan.exclusive_slice(&numbers).expect("a scan"), "{device}");
    }
}

#[test]
fn more_than_a_tile_is_an_error() {
    for device in everywhere() {
        let too_large = |tile: u64, found: u64| Error::TooLarge {
            what: "the input of a trace",
            unit: "elements",
            expected: tile,
            found,
        };
        let error = trace::hillis_steele(&device, &[1u32; 257]).expect_err("more than a tile");
        assert_eq!(error, too_large(256, 257), "{device}");
        let error = trace::blelloch(&device, &[1u32; 1000]).expect_err("more than a tile");
        assert_eq!(error, too_large(512, 1000), "{device}");
        let text = "the input of a trace is too large: expected at most 512 elements, found 1000";
        assert_eq!(error.to_string(), text);
    }
}
