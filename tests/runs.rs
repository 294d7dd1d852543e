//! Operators that go by runs: what precedes a run of 32 elements is combined in the canonical order, then the run's
//! elements follow one after the other, whatever the shape of a scan.

mod common;

use std::borrow::Cow;

use common::{
    everywhere,
    inputs::{hash, hashes},
    oracle::{assert_bits, naive_by_runs},
    own,
    parenthesis::Parenthesis,
    sized,
};
use gpuscan::{Algorithm, Device, Element, GpuReduce, GpuScan, Monoid};

/// [`Parenthesis`] by runs, on one word or on each of several, of which the last takes the one before it along.
#[derive(Clone, Copy, Debug)]
struct ByRuns;

impl Monoid<u32> for ByRuns {
    fn identity(&self) -> u32 {
        Parenthesis.identity()
    }

    fn combine(&self, left: u32, right: u32) -> u32 {
        Parenthesis.combine(left, right)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        Parenthesis.wgsl()
    }

    fn by_runs(&self) -> bool {
        true
    }
}

macro_rules! by_runs_of {
    ($($count:literal),*) => {
        $(impl Monoid<[u32; $count]> for ByRuns {
            fn identity(&self) -> [u32; $count] {
                [77; $count]
            }

            fn combine(&self, left: [u32; $count], right: [u32; $count]) -> [u32; $count] {
                std::array::from_fn(|i| Parenthesis.combine(left[i], right[i]))
            }

            fn wgsl(&self) -> Cow<'static, str> {
                "fn identity() -> T {
                     return T(77u);
                 }
                 fn combine(left: T, right: T) -> T {
                     let scaled = right * 0x85ebca77u;
                     let mixed = (left * 0x9e3779b1u) ^ ((scaled << T(13u)) | (scaled >> T(19u)));
                     return mixed ^ (mixed >> T(15u));
                 }"
                .into()
            }

            fn by_runs(&self) -> bool {
                true
            }
        })*
    };
}

by_runs_of!(2, 3, 4);

/// Around the borders of runs, subgroups, tiles, and blocks of 2^18.
fn lengths() -> &'static [usize] {
    sized(
        &[1, 3, 16, 31, 32, 33, 64, 127, 129, 513, 1025, 4095, 8192, 8193, 40_000, 262_143, 262_177, 530_001],
        &[1, 31, 33, 129, 1025, 8193],
    )
}

fn words<const N: usize>(bits: u64) -> [u32; N] {
    std::array::from_fn(|i| hash(bits ^ i as u64) as u32)
}

#[track_caller]
fn check<T: Element>(device: &Device, algorithm: Algorithm, make: fn(u64) -> T)
where
    ByRuns: Monoid<T>,
{
    let scan = GpuScan::with_monoid(device, ByRuns).algorithm(algorithm);
    for &len in lengths() {
        let input: Vec<T> = hashes(len as u64).take(len).map(make).collect();
        let data = device.upload(&input).expect("upload");
        for exclusive in [false, true] {
            let found = match exclusive {
                false => scan.inclusive(&data),
                true => scan.exclusive(&data),
            };
            let found = found.expect("a scan").to_vec().expect("download");
            let what = format!("{len} by {algorithm}, exclusive: {exclusive}, {device}");
            assert_bits(&found, &naive_by_runs(&ByRuns, None, &input, exclusive), what);
        }
    }
}

#[test]
fn one_row() {
    for device in everywhere().chain([Device::cpu()]) {
        check::<u32>(&device, Algorithm::ThreePass, |bits| bits as u32);
        check::<[u32; 2]>(&device, Algorithm::Auto, words);
        check::<[u32; 3]>(&device, Algorithm::ThreePass, words);
        check::<[u32; 4]>(&device, Algorithm::ThreePass, words);
    }
}

#[test]
fn by_one_pass() {
    for (patience, fault) in sized(&[(256, 0), (8, 1)][..], &[(8, 1)]) {
        let device = own(Device::request().patience(*patience).fault(*fault));
        check::<u32>(&device, Algorithm::SinglePass, |bits| bits as u32);
        check::<[u32; 2]>(&device, Algorithm::SinglePass, words);
    }
}

/// Written out as for GPUs, where software drivers would be given loops.
#[test]
fn tiles_of_gpus() {
    for subgroups in [true, false] {
        let device = own(Device::request().subgroups(subgroups).tile_log2(12));
        check::<[u32; 2]>(&device, Algorithm::ThreePass, words);
    }
}

#[test]
fn rows() {
    for device in everywhere() {
        let scan = GpuScan::with_monoid(&device, ByRuns).algorithm(Algorithm::ThreePass);
        for (len, rows) in [
            (1, 3000),
            (5, 2001),
            (7, 900),
            (9, 900),
            (17, 300),
            (32, 300),
            (57, 100),
            (100, 77),
            (1000, 9),
            (5000, 3),
        ] {
            let input: Vec<[u32; 2]> = hashes(len as u64).take(len * rows).map(words).collect();
            let data = device.upload(&input).expect("upload");
            for (exclusive, start) in
                [(false, None), (true, None), (true, Some([5, 6])), (false, Some([7, 8]))]
            {
                let mut scanning = scan.of(&data).rows(len);
                if exclusive {
                    scanning = scanning.exclusive();
                }
                if let Some(start) = start {
                    scanning = scanning.starting_from(start);
                }
                let found: Vec<[u32; 2]> = scanning.run().expect("a scan").to_vec().expect("download");
                let wanted: Vec<[u32; 2]> =
                    input.chunks(len).flat_map(|row| naive_by_runs(&ByRuns, start, row, exclusive)).collect();
                let what = format!("{rows} rows of {len}, exclusive: {exclusive}, {start:?}, {device}");
                assert_bits(&found, &wanted, what);
            }
        }
    }
}

type Results = Result<Vec<[u32; 2]>, gpuscan::Error>;

/// What is not a plain range: what `run` gives on a device and on the CPU.
#[test]
fn other_shapes() {
    for device in everywhere() {
        let alike = |what: &str, run: &dyn Fn(&Device) -> Results| {
            let (found, wanted) = (run(&device).expect("a run"), run(&Device::cpu()).expect("a run"));
            assert_bits(&found, &wanted, format_args!("{what} on {device}"));
        };
        for &len in sized(&[40, 5001, 270_000][..], &[40, 5001]) {
            let input: Vec<[u32; 2]> = hashes(9).take(len).map(words).collect();
            let keys: Vec<u32> = (0..len as u64).map(|i| (i / 700 + hash(i) % 40 / 39) as u32).collect();
            let offsets: Vec<u32> = (0..=len as u32).step_by(61).chain([len as u32]).collect();
            alike("any range", &|device| {
                let data = device.upload(&input)?;
                GpuScan::with_monoid(device, ByRuns).inclusive(&data.slice(1..len - 2)?)?.to_vec()
            });
            alike("in place", &|device| {
                let data = device.upload(&input)?;
                GpuScan::with_monoid(device, ByRuns).exclusive_in_place(&data)?;
                data.to_vec()
            });
            alike("backwards", &|device| {
                let data = device.upload(&input)?;
                GpuScan::with_monoid(device, ByRuns).of(&data).reversed().run()?.to_vec()
            });
            alike("by key", &|device| {
                let (data, keys) = (device.upload(&input)?, device.upload(&keys)?);
                GpuScan::with_monoid(device, ByRuns).of(&data).by_key(&keys).run()?.to_vec()
            });
            alike("exclusive, by offsets", &|device| {
                let (data, offsets) = (device.upload(&input)?, device.upload(&offsets)?);
                let scan = GpuScan::with_monoid(device, ByRuns);
                scan.of(&data).by_offsets(&offsets).exclusive().run()?.to_vec()
            });
            alike("the total, which is canonical", &|device| {
                GpuReduce::with_monoid(device, ByRuns).reduce(&device.upload(&input)?)?.to_vec()
            });
        }
    }
}
