//! Operators that give the same bits in any grouping: their kernels lift every element once, and the results are those
//! of the canonical order, whatever the shape of a scan.

mod common;

use std::fmt::{Debug, Display};

use common::{
    everywhere,
    inputs::{hash, hashes, values},
    oracle::assert_bits,
    own, sized,
};
use gpuscan::{
    Affine, Algorithm, Device, Element, Exact, First, GpuReduce, GpuScan, Map, MatrixProduct, Max, Min,
    Monoid, Product, Sum, order,
};

/// Around the borders of quads, subgroups, tiles of 2^10 to 2^13, and blocks of 2^18.
fn lengths() -> &'static [usize] {
    sized(
        &[1, 4, 5, 33, 127, 129, 513, 1023, 1025, 2049, 4095, 4097, 8193, 40_000, 262_143, 262_145, 530_001],
        &[1, 5, 129, 1025, 4097, 8193],
    )
}

/// What a scan of a row from `start` gives.
fn wanted<T: Element, M: Monoid<T>>(monoid: &M, row: &[T], start: Option<T>, exclusive: bool) -> Vec<T> {
    let mut result = row.to_vec();
    order::scan_after(monoid, start, &mut result);
    if exclusive && !result.is_empty() {
        result.rotate_right(1);
        result[0] = start.unwrap_or(monoid.identity());
    }
    result
}

#[track_caller]
fn check<T: Element>(
    device: &Device,
    monoid: impl Monoid<T> + Debug,
    algorithm: Algorithm,
    make: fn(u64) -> T,
) {
    assert!(monoid.regroups(), "{monoid:?}");
    let scan = GpuScan::with_monoid(device, monoid.clone()).algorithm(algorithm);
    for &len in lengths() {
        let input: Vec<T> = hashes(len as u64).take(len).map(make).collect();
        let data = device.upload(&input).expect("upload");
        for exclusive in [false, true] {
            let found = match exclusive {
                false => scan.inclusive(&data),
                true => scan.exclusive(&data),
            };
            let found = found.expect("a scan").to_vec().expect("download");
            let what = format!("{monoid:?} of {len}, {algorithm}, exclusive: {exclusive}, {device}");
            assert_bits(&found, &wanted(&monoid, &input, None, exclusive), what);
        }
    }
}

/// Numbers of either sign, zeros, infinities: no NaN, whose bits drivers may change.
fn float(bits: u64) -> f32 {
    match bits % 16 {
        0 => [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY][(bits >> 60) as usize % 4],
        _ => f32::from((bits >> 20) as i16) / 64.0,
    }
}

fn map(bits: u64) -> [u32; 2] {
    [bits as u32 | 1, (bits >> 32) as u32]
}

/// Of determinant 1, so that products do not vanish.
fn matrix(bits: u64) -> [u32; 4] {
    let (a, b) = (bits as u32, (bits >> 32) as u32);
    [1, a, b, a.wrapping_mul(b).wrapping_add(1)]
}

#[test]
fn one_word() {
    for device in everywhere() {
        check::<f32>(&device, Max, Algorithm::ThreePass, float);
        // Not commutative.
        check::<f32>(&device, First(0.0f32), Algorithm::ThreePass, |bits| {
            float(bits) * f32::from(bits % 700 == 0)
        });
    }
}

#[test]
fn two_words() {
    for device in everywhere() {
        check::<u64>(&device, Sum, Algorithm::ThreePass, hash);
        check::<[u32; 2]>(&device, Affine, Algorithm::ThreePass, map);
        check::<f64>(&device, Min, Algorithm::ThreePass, |bits| float(bits).into());
    }
}

#[test]
fn vectors() {
    for device in everywhere() {
        check::<[u32; 3]>(&device, Product, Algorithm::ThreePass, |bits| {
            [bits as u32 | 1, (bits >> 8) as u32 | 1, (bits >> 32) as u32 | 1]
        });
        check::<[u32; 4]>(&device, MatrixProduct, Algorithm::ThreePass, matrix);
    }
}

/// Eleven words: the trees over the tiles of blocks lie in scratch.
#[test]
fn eleven_words() {
    for device in everywhere() {
        check(&device, Exact, Algorithm::ThreePass, |bits| Exact.apply(float(bits | 1)));
    }
}

#[test]
fn by_one_pass() {
    for (patience, fault) in sized(&[(256, 0), (8, 1)][..], &[(8, 1)]) {
        let device = own(Device::request().patience(*patience).fault(*fault));
        check::<f32>(&device, Max, Algorithm::SinglePass, float);
        check::<[u32; 2]>(&device, Affine, Algorithm::SinglePass, map);
        check::<[u32; 4]>(&device, MatrixProduct, Algorithm::SinglePass, matrix);
    }
    let device = own(Device::request().subgroups(false));
    check::<f32>(&device, Max, Algorithm::SinglePass, float);
}

/// Tiles as GPUs have them, where software drivers would be given smaller ones or loops.
#[test]
fn tiles_of_gpus() {
    for subgroups in [true, false] {
        let device = own(Device::request().subgroups(subgroups).tile_log2(13));
        check::<f32>(&device, Max, Algorithm::ThreePass, float);
        check::<[u32; 2]>(&device, Affine, Algorithm::ThreePass, map);
    }
}

#[track_caller]
fn check_rows<T: Element>(device: &Device, monoid: impl Monoid<T> + Debug, make: fn(u64) -> T) {
    let scan = GpuScan::with_monoid(device, monoid.clone()).algorithm(Algorithm::ThreePass);
    // Rows that share quads' lanes, steps and subgroups of a tile, and longer ones.
    for (len, rows) in
        [(1, 3000), (5, 2001), (27, 300), (100, 77), (250, 50), (500, 33), (1000, 9), (3000, 4)]
    {
        let input: Vec<T> = hashes(len as u64).take(len * rows).map(make).collect();
        let data = device.upload(&input).expect("upload");
        for (exclusive, start) in [(false, None), (true, None), (true, Some(make(1))), (false, Some(make(2)))]
        {
            let mut scanning = scan.of(&data).rows(len);
            if exclusive {
                scanning = scanning.exclusive();
            }
            if let Some(start) = start {
                scanning = scanning.starting_from(start);
            }
            let found: Vec<T> = scanning.run().expect("a scan").to_vec().expect("download");
            let wanted: Vec<T> =
                input.chunks(len).flat_map(|row| wanted(&monoid, row, start, exclusive)).collect();
            let what = format!("{monoid:?} of {rows} rows of {len}, {exclusive}, {start:?}, {device}");
            assert_bits(&found, &wanted, what);
        }
    }
}

#[test]
fn rows() {
    for device in everywhere() {
        check_rows::<f32>(&device, Max, float);
        check_rows::<[u32; 2]>(&device, Affine, map);
    }
}

/// What `run` gives on a device and on the CPU.
#[track_caller]
fn as_on_the_cpu<T: Element>(
    device: &Device,
    what: impl Display,
    run: impl Fn(&Device) -> Result<Vec<T>, gpuscan::Error>,
) {
    let (found, wanted) = (run(device).expect("a run"), run(&Device::cpu()).expect("a run"));
    assert_bits(&found, &wanted, format_args!("{what} on {device}"));
}

/// A value's head is combined with it.
#[test]
fn segments() {
    for device in everywhere() {
        for &len in lengths() {
            let keys: Vec<u32> =
                (0..len as u64).map(|i| (i / 700 + hash(i) / (u64::MAX / 30 * 29)) as u32).collect();
            let maps: Vec<[u32; 2]> = hashes(5).take(len).map(map).collect();
            let floats: Vec<f32> = hashes(6).take(len).map(float).collect();
            for exclusive in [false, true] {
                as_on_the_cpu(&device, format_args!("maps by key, {len}, {exclusive}"), |device| {
                    let (maps, keys) = (device.upload(&maps)?, device.upload(&keys)?);
                    let scan = GpuScan::with_monoid(device, Affine);
                    let scanning = scan.of(&maps).by_key(&keys);
                    if exclusive { scanning.exclusive() } else { scanning }.run()?.to_vec()
                });
            }
            as_on_the_cpu(&device, format_args!("minima by key, {len}"), |device| {
                let (floats, keys) = (device.upload(&floats)?, device.upload(&keys)?);
                GpuScan::with_monoid(device, Min).of(&floats).by_key(&keys).run::<f32>()?.to_vec()
            });
        }
    }
}

#[test]
fn totals() {
    for device in everywhere() {
        for &len in lengths() {
            let maps: Vec<[u32; 2]> = hashes(7).take(len).map(map).collect();
            let offsets: Vec<u32> = (0..=len as u32).step_by(61).chain([len as u32]).collect();
            as_on_the_cpu(&device, format_args!("the total of {len} maps"), |device| {
                GpuReduce::with_monoid(device, Affine).reduce(&device.upload(&maps)?)?.to_vec()
            });
            as_on_the_cpu(&device, format_args!("totals of segments of {len} maps"), |device| {
                let (maps, offsets) = (device.upload(&maps)?, device.upload(&offsets)?);
                GpuReduce::with_monoid(device, Affine).reduce_segments(&maps, &offsets)?.to_vec()
            });
        }
    }
}

/// Exact sums as their users get them, rounded in the same kernel.
#[test]
fn exact_sums() {
    for device in everywhere() {
        let input: Vec<f32> = values(8, sized(20_001, 5001));
        as_on_the_cpu(&device, "exact sums", |device| {
            GpuScan::exact(device).exclusive(&device.upload(&input)?)?.to_vec()
        });
    }
}

/// A promise that does not hold is found, with values that are rounded.
#[test]
fn broken_promises() {
    #[derive(Clone)]
    struct Promising;

    impl Monoid<f32> for Promising {
        fn identity(&self) -> f32 {
            0.0
        }

        fn combine(&self, left: f32, right: f32) -> f32 {
            left + right
        }

        fn wgsl(&self) -> std::borrow::Cow<'static, str> {
            Monoid::<f32>::wgsl(&Sum)
        }

        fn regroups(&self) -> bool {
            true
        }
    }

    let error = Promising.check(&Device::cpu()).expect_err("sums are rounded").to_string();
    assert!(error.contains("regroups to the last bit"), "{error}");
    // Zeros of either sign are equal, but not the same bits.
    let error =
        Promising.check_on(&Device::cpu(), &[0.1, 0.7, -0.8]).expect_err("sums are rounded").to_string();
    assert!(error.contains("regroups to the last bit"), "{error}");
    for device in everywhere() {
        Monoid::<f32>::check(&Max, &device).expect("an order");
        Monoid::<u64>::check(&Sum, &device).expect("integers");
    }
}
