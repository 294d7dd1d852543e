//! Every algorithm, element and entry point at sizes around everything that is a power of two: the set that
//! is short enough for the slowest driver.

mod common;

use common::{
    checker::{check, scanned},
    everywhere,
    inputs::{Sample, values},
    oracle::{assert_bits, expected},
    own, sized, small,
};
use gpuscan::{Algorithm, Device, GpuScan, Monoid, Sum};

/// Around quads, textbook tiles of 256 and 512, and tiles of 4,096 and 8,192.
const SIZES: [usize; 20] =
    [0, 1, 2, 3, 4, 5, 255, 256, 257, 511, 512, 513, 4095, 4096, 4097, 8191, 8192, 8193, 65_537, 262_145];

/// A slow driver checks only these.
const FEW: [usize; 10] = [0, 1, 3, 5, 257, 513, 4096, 4097, 8193, 20_001];

fn conforms<T: Sample>(algorithm: Algorithm)
where
    Sum: Monoid<T>,
{
    let sizes = if small() { &FEW[..] } else { &SIZES[..] };
    for device in everywhere() {
        for &len in sizes {
            if algorithm != Algorithm::SingleTile || len <= 4096 {
                check(&device, algorithm, &values::<T>(len as u64, len));
            }
        }
    }
}

/// A workgroup of a single pass that looks in vain computes what it looks for, and gets the same bits: at once, or
/// late. No later than this: an old Mesa counts the rounds of all loops of a kernel together, and ends every loop
/// after the 65,535th; and lavapipe reads what a loop looks at only once, so that patience is only time.
#[test]
fn single_pass_with_any_patience() {
    for (subgroups, patience) in [(true, 0), (false, 0), (true, 3), (true, 5000), (false, 5000)] {
        let device = own(Device::request().subgroups(subgroups).patience(patience));
        let scan = GpuScan::new(&device).algorithm(Algorithm::SinglePass);
        for len in [30_000, sized(800_000, 300_000)] {
            let floats = values::<f32>(1, len);
            let wanted = expected(&Sum, Algorithm::SinglePass, &floats, false);
            for run in 0..3 {
                let found = scanned(&scan, &device, false, &floats);
                assert_bits(&found, &wanted, format_args!("run {run} of {len}, patience {patience}"));
            }
        }
    }
}

macro_rules! conformance {
    ($($name:ident: $algorithm:ident of $element:ty;)*) => {
        $(#[test]
        fn $name() {
            conforms::<$element>(Algorithm::$algorithm);
        })*
    };
}

conformance! {
    auto_f32: Auto of f32;
    single_tile_u32: SingleTile of u32;
    three_pass_u32: ThreePass of u32;
    three_pass_f32: ThreePass of f32;
    single_pass_f32: SinglePass of f32;
    hillis_steele_u32: HillisSteele of u32;
    hillis_steele_f32: HillisSteele of f32;
    blelloch_u32: Blelloch of u32;
    blelloch_f32: Blelloch of f32;
}

/// `i32` differs from `u32` in one word of the kernels: no need to compile each of them once more.
#[test]
fn every_algorithm_of_i32() {
    for device in everywhere() {
        for algorithm in Algorithm::ALL {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            for len in [1, 3000] {
                let input = values::<i32>(len as u64, len);
                for exclusive in [false, true] {
                    if exclusive && algorithm == Algorithm::SinglePass {
                        continue; // its kernels take the longest
                    }
                    let wanted = expected(&Sum, algorithm, &input, exclusive);
                    let found = scanned(&scan, &device, exclusive, &input);
                    assert_bits(&found, &wanted, format_args!("{algorithm}, {len}, {device}"));
                }
            }
        }
    }
}
