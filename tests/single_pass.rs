//! The single pass: totals handed from workgroup to workgroup, whether they come or not.

mod common;

use common::{
    checker::scanned,
    inputs::values,
    oracle::{assert_bits, expected},
    own, sized,
};
use gpuscan::{Algorithm, Device, GpuScan, Sum};

/// The same kernels, told to wait for others or to wait for nobody.
fn devices(patience: u32) -> impl Iterator<Item = Device> {
    [true, false]
        .into_iter()
        .map(move |subgroups| own(Device::request().subgroups(subgroups).patience(patience)))
}

fn agrees(device: &Device, lens: &[usize]) {
    let scan = GpuScan::new(device).algorithm(Algorithm::SinglePass);
    for (round, &len) in lens.iter().enumerate() {
        let input = values::<f32>(round as u64, len);
        for exclusive in [false, true] {
            let wanted = expected(&Sum, Algorithm::SinglePass, &input, exclusive);
            let found = scanned(&scan, device, exclusive, &input);
            assert_bits(&found, &wanted, format_args!("{len}, exclusive {exclusive}, {device}"));
        }
    }
}

/// Long after short and short after long: each dispatch empties what the one before it left.
const LENS: [usize; 10] = [1, 9000, 300_001, 4097, 2_000_000, 8193, 262_144, 262_145, 524_288, 1];
const FEW: [usize; 5] = [1, 9000, 300_000, 4097, 9000];

#[test]
fn totals_that_come() {
    for device in devices(256) {
        agrees(&device, sized(&LENS, &FEW));
    }
}

#[test]
fn totals_that_never_come_are_computed() {
    for device in devices(0) {
        agrees(&device, sized(&LENS, &FEW));
    }
}

/// Pieces of whole blocks hand on a prefix. With room for one block, a block less, and none.
#[test]
fn pieces_hand_on_a_prefix() {
    for kib in sized(&[1025, 1200, 2100, 900][..], &[1025]) {
        let device = own(Device::request().max_binding(kib << 10));
        agrees(&device, sized(&[1_000_000, 600_001], &[600_000]));
    }
}

/// More blocks than one look back takes in, and none of their prefixes known: the prefix of the farthest
/// block in sight is found first.
#[test]
fn more_blocks_than_a_window() {
    for device in devices(0).take(sized(2, 1)) {
        agrees(&device, &[sized(40, 3) * (1 << 18) + 5]);
    }
}

/// In place and at odd offsets another algorithm takes over, with the same bits.
#[test]
fn where_it_cannot_be_used() {
    let device = own(Device::request());
    let scan = GpuScan::new(&device).algorithm(Algorithm::SinglePass);
    let input = values::<f32>(7, 20_000);
    let data = device.upload(&input).expect("upload");
    let odd = data.slice(3..).expect("a slice");
    let found = scan.inclusive(&odd).expect("a scan").to_vec().expect("download");
    assert_bits(&found, &expected(&Sum, Algorithm::SinglePass, &input[3..], false), "at an odd offset");
    scan.inclusive_in_place(&data).expect("a scan");
    let found = data.to_vec().expect("download");
    assert_bits(&found, &expected(&Sum, Algorithm::SinglePass, &input, false), "in place");
}
