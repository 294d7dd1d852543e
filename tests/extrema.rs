//! The least and the largest of floats of every kind, NaNs to their last bit, whatever is asked of a scan: kernels hold
//! keys of them where they can.

mod common;

use std::{
    borrow::Cow,
    fmt::{Debug, Display},
};

use common::{everywhere, inputs::hashes, oracle::assert_bits, own, sized};
use gpuscan::{Algorithm, Device, Error, GpuReduce, GpuScan, Map, Max, Min, Monoid};

/// Of both signs: a zero, subnormal numbers, ordinary ones, an infinity, NaNs that are quiet and that are not.
const MAGNITUDES: [u32; 13] = [
    0,
    1,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0x3f80_0001,
    0x42c8_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fc0_0000,
    0x7fc1_2345,
    0x7fff_ffff,
];

/// Every kind of float, each of which wins over those before it.
fn ranked(monoid: &impl Monoid<f32>) -> Vec<f32> {
    let mut kinds: Vec<f32> =
        MAGNITUDES.iter().flat_map(|&bits| [bits, bits | 1 << 31]).map(f32::from_bits).collect();
    kinds.sort_by(|&a, &b| match monoid.combine(a, b).to_bits() == b.to_bits() {
        true if a.to_bits() == b.to_bits() => std::cmp::Ordering::Equal,
        true => std::cmp::Ordering::Less,
        false => std::cmp::Ordering::Greater,
    });
    kinds
}

/// Each kind wins for a while: `len` of them, of which those that win over more come later.
fn rising(monoid: &impl Monoid<f32>, len: usize) -> Vec<f32> {
    let kinds = ranked(monoid);
    let any_up_to = |(i, bits): (usize, u64)| kinds[bits as usize % (1 + i * kinds.len() / len)];
    hashes(len as u64).take(len).enumerate().map(any_up_to).collect()
}

/// A float that lies in memory as its bits.
#[derive(Clone)]
struct Bits;

impl Map<u32, f32> for Bits {
    fn apply(&self, value: u32) -> f32 {
        f32::from_bits(value)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "let bits: In = value; return bitcast<T>(bits);".into()
    }
}

impl Map<f32, u32> for Bits {
    fn apply(&self, value: f32) -> u32 {
        value.to_bits()
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "let result: T = value; return bitcast<Out>(result);".into()
    }
}

/// What `run` gives on `device` and on the CPU, also of a NaN the same bits.
#[track_caller]
fn agree(device: &Device, what: impl Display, run: impl Fn(&Device) -> Result<Vec<f32>, Error>) {
    let bits = |results: Vec<f32>| results.iter().map(|result| result.to_bits()).collect::<Vec<_>>();
    let (found, wanted) = (run(device).expect("a run"), run(&Device::cpu()).expect("a run"));
    assert_bits(&bits(found), &bits(wanted), format_args!("{what} on {device}"));
}

/// `test` of both operators on every device.
macro_rules! of_both {
    ($test:ident) => {
        for device in everywhere() {
            $test(&device, Min);
            $test(&device, Max);
        }
    };
}

fn lengths() -> &'static [usize] {
    sized(&[1, 5, 700, 9001, 270_001], &[5, 700, 9001])
}

#[test]
fn plain_scans() {
    of_both!(check_plain);
}

fn check_plain(device: &Device, monoid: impl Monoid<f32> + Debug) {
    for &len in lengths() {
        let input = rising(&monoid, len);
        for exclusive in [false, true] {
            let what = format!("{monoid:?} of {len}, exclusive: {exclusive}");
            agree(device, format_args!("{what}, apart"), |device| {
                let (scan, data) = (GpuScan::with_monoid(device, monoid.clone()), device.upload(&input)?);
                if exclusive { scan.exclusive(&data)? } else { scan.inclusive(&data)? }.to_vec()
            });
            agree(device, format_args!("{what}, in place"), |device| {
                let (scan, data) = (GpuScan::with_monoid(device, monoid.clone()), device.upload(&input)?);
                if exclusive {
                    scan.exclusive_in_place(&data)?
                } else {
                    scan.inclusive_in_place(&data)?
                };
                data.to_vec()
            });
        }
    }
}

/// A value in memory is a float, not a key, and so is one of the caller's.
#[test]
fn from_a_value() {
    of_both!(check_start);
}

fn check_start(device: &Device, monoid: impl Monoid<f32> + Debug) {
    let kinds = ranked(&monoid);
    for &len in lengths() {
        let input = rising(&monoid, len);
        // One that wins for a while, and one whose place is not the first of its buffer.
        let start = kinds[kinds.len() / 2];
        agree(device, format_args!("{monoid:?} of {len} from {start}"), |device| {
            let (scan, data) = (GpuScan::with_monoid(device, monoid.clone()), device.upload(&input)?);
            scan.of(&data).exclusive().starting_from(start).run()?.to_vec()
        });
        agree(device, format_args!("{monoid:?} of {len} from a buffer"), |device| {
            let (scan, data) = (GpuScan::with_monoid(device, monoid.clone()), device.upload(&input)?);
            let start = device.upload(&kinds)?.slice(3..4)?;
            scan.of(&data).starting_from_buffer(&start).run()?.to_vec()
        });
    }
}

#[test]
fn maps() {
    of_both!(check_maps);
}

fn check_maps(device: &Device, monoid: impl Monoid<f32> + Debug) {
    let input: Vec<u32> = rising(&monoid, 9001).iter().map(|value| value.to_bits()).collect();
    let run = |device: &Device| -> Result<Vec<u32>, Error> {
        let scan = GpuScan::with_monoid(device, monoid.clone()).mapping(Bits).mapping_results(Bits);
        scan.exclusive(&device.upload(&input)?)?.to_vec()
    };
    let (found, wanted) = (run(device).expect("a scan"), run(&Device::cpu()).expect("a scan"));
    assert_bits(&found, &wanted, format_args!("{monoid:?} of bits on {device}"));
}

/// Every pair of kinds is a row of its own; rows that have tiles of their own; other ways through memory.
#[test]
fn shapes() {
    of_both!(check_shapes);
}

fn check_shapes(device: &Device, monoid: impl Monoid<f32> + Debug) {
    let kinds = ranked(&monoid);
    let pairs: Vec<f32> = kinds.iter().flat_map(|&a| kinds.iter().flat_map(move |&b| [a, b])).collect();
    let long = rising(&monoid, 9000);
    for (input, len) in [(&pairs, 2), (&long, 3000)] {
        agree(device, format_args!("{monoid:?} of rows of {len}"), |device| {
            let (scan, data) = (GpuScan::with_monoid(device, monoid.clone()), device.upload(input)?);
            scan.of(&data).rows(len).run()?.to_vec()
        });
        agree(device, format_args!("{monoid:?} of columns of {len}"), |device| {
            let (scan, data) = (GpuScan::with_monoid(device, monoid.clone()), device.upload(input)?);
            scan.of(&data).axis(&[len, input.len() / len], 0).exclusive().run()?.to_vec()
        });
    }
    agree(device, format_args!("{monoid:?} backwards"), |device| {
        let (scan, data) = (GpuScan::with_monoid(device, monoid.clone()), device.upload(&long)?);
        scan.of(&data).reversed().run()?.to_vec()
    });
    agree(device, format_args!("{monoid:?} of as many as are counted"), |device| {
        let (scan, data) = (GpuScan::with_monoid(device, monoid.clone()), device.upload(&long)?);
        let count = device.upload(&[7654u32])?;
        scan.of(&data).counted_by(&count).run()?.to_vec()
    });
}

#[test]
fn segments() {
    of_both!(check_segments);
}

fn check_segments(device: &Device, monoid: impl Monoid<f32> + Debug) {
    let input = rising(&monoid, 9001);
    let keys: Vec<u32> = (0..input.len() as u32).map(|i| i / 100).collect();
    for exclusive in [false, true] {
        agree(device, format_args!("{monoid:?} by key, exclusive: {exclusive}"), |device| {
            let (scan, data) = (GpuScan::with_monoid(device, monoid.clone()), device.upload(&input)?);
            let keys = device.upload(&keys)?;
            let scanning = scan.of(&data).by_key(&keys);
            if exclusive { scanning.exclusive() } else { scanning }.run()?.to_vec()
        });
    }
}

#[test]
fn totals() {
    of_both!(check_totals);
}

fn check_totals(device: &Device, monoid: impl Monoid<f32> + Debug) {
    let kinds = ranked(&monoid);
    // What wins is the last one, and every kind is.
    for (i, len) in (1..=kinds.len()).zip([9001, 700, 1].iter().cycle()) {
        let input: Vec<f32> = hashes(i as u64).take(*len).map(|bits| kinds[bits as usize % i]).collect();
        let bits: Vec<u32> = input.iter().map(|value| value.to_bits()).collect();
        for algorithm in [Algorithm::ThreePass, Algorithm::SinglePass] {
            agree(device, format_args!("the total of {len} under {monoid:?}, {algorithm}"), |device| {
                let reduce = GpuReduce::with_monoid(device, monoid.clone()).algorithm(algorithm);
                reduce.reduce(&device.upload(&input)?)?.to_vec()
            });
        }
        agree(device, format_args!("the total of {len} by their bits under {monoid:?}"), |device| {
            let reduce = GpuReduce::with_monoid(device, monoid.clone()).mapping(Bits);
            reduce.reduce(&device.upload(&bits)?)?.to_vec()
        });
    }
    agree(device, format_args!("the total of nothing under {monoid:?}"), |device| {
        GpuReduce::with_monoid(device, monoid.clone()).reduce(&device.zeros::<f32>(0)?)?.to_vec()
    });
    let input = rising(&monoid, 9000);
    for len in [20, 4500] {
        agree(device, format_args!("totals of rows of {len} under {monoid:?}"), |device| {
            let reduce = GpuReduce::with_monoid(device, monoid.clone());
            reduce.reduce_rows(&device.upload(&input)?, len)?.to_vec()
        });
    }
    // Some segments have no elements.
    let offsets: Vec<u32> = (0..=9000).step_by(90).flat_map(|offset| [offset, offset]).collect();
    agree(device, format_args!("totals of segments under {monoid:?}"), |device| {
        let (input, offsets) = (device.upload(&input)?, device.upload(&offsets)?);
        GpuReduce::with_monoid(device, monoid.clone()).reduce_segments(&input, &offsets)?.to_vec()
    });
}

/// These add to their results where they lie.
#[test]
fn textbook_algorithms() {
    of_both!(check_textbook);
}

fn check_textbook(device: &Device, monoid: impl Monoid<f32> + Debug) {
    for algorithm in [Algorithm::HillisSteele, Algorithm::Blelloch] {
        for len in [200, sized(150_001, 9001)] {
            let input = rising(&monoid, len);
            for exclusive in [false, true] {
                let what = format!("{monoid:?} of {len}, {algorithm}, exclusive: {exclusive}");
                agree(device, what, |device| {
                    let scan = GpuScan::with_monoid(device, monoid.clone()).algorithm(algorithm);
                    let data = device.upload(&input)?;
                    if exclusive { scan.exclusive(&data)? } else { scan.inclusive(&data)? }.to_vec()
                });
            }
        }
    }
}

/// Also with workgroups that publish nothing, so that others read their tiles again.
#[test]
fn by_one_pass() {
    let requests =
        [Device::request(), Device::request().subgroups(false), Device::request().patience(8).fault(1)];
    for device in requests.map(own) {
        check_one_pass(&device, Min);
        check_one_pass(&device, Max);
    }
}

fn check_one_pass(device: &Device, monoid: impl Monoid<f32> + Debug) {
    for len in [9000, sized(300_001, 9001)] {
        let input = rising(&monoid, len);
        agree(device, format_args!("{monoid:?} of {len} in one pass"), |device| {
            let scan = GpuScan::with_monoid(device, monoid.clone()).algorithm(Algorithm::SinglePass);
            scan.exclusive(&device.upload(&input)?)?.to_vec()
        });
    }
}
