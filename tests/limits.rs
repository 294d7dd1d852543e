//! Devices with little room: inputs longer than a binding, grids with few workgroups a row, and errors that
//! name the limit where nothing helps.

mod common;

use common::{
    algorithms,
    checker::{check, scanned},
    everywhere,
    inputs::values,
    oracle::{assert_bits, expected},
    own, sized,
};
use gpuscan::{Algorithm, Device, DeviceRequest, Error, GpuScan, Sum};

/// Room for one tile of 32 KiB in a binding, and for what alignment adds.
const TIGHT_BINDING: u64 = 40 << 10;

fn tight() -> [DeviceRequest; 2] {
    [true, false]
        .map(|subgroups| Device::request().subgroups(subgroups).max_binding(TIGHT_BINDING).max_groups(7))
}

/// Each piece is one or two tiles, each grid at most 7 × 7. With every placement: pieces of ranges that are
/// aligned, odd, in place, and ragged at the end.
#[test]
fn inputs_in_pieces_give_the_same_bits() {
    for request in tight() {
        let device = own(request);
        for len in sized(&[8192, 8193, 16_385, 50_001][..], &[8193, 30_001]) {
            for algorithm in algorithms(*len) {
                check(&device, algorithm, &values::<f32>(1, *len));
            }
        }
    }
}

/// Pieces that end inside a block, at one, and after several.
#[test]
fn pieces_and_blocks_need_not_agree() {
    let len = sized(3 * (1 << 18) + 77, (1 << 18) + 8193);
    let floats = values::<f32>(2, len);
    let wanted = [false, true].map(|exclusive| expected(&Sum, Algorithm::Auto, &floats, exclusive));
    for binding in [TIGHT_BINDING, 100 << 10, 777 << 10] {
        for subgroups in [true, false] {
            let device = own(Device::request().subgroups(subgroups).max_binding(binding));
            for algorithm in [Algorithm::ThreePass, Algorithm::SinglePass] {
                let scan = GpuScan::new(&device).algorithm(algorithm);
                for (exclusive, wanted) in [false, true].into_iter().zip(&wanted) {
                    let found = scanned(&scan, &device, exclusive, &floats);
                    let what =
                        format_args!("{algorithm}, bindings of {binding} bytes, exclusive: {exclusive}");
                    assert_bits(&found, wanted, what);
                }
            }
        }
    }
}

/// The textbook algorithms have pieces too, and an order of their own to keep.
#[test]
fn textbook_scans_in_pieces() {
    let floats = values::<f32>(3, 40_000);
    for request in tight() {
        let device = own(request);
        for algorithm in [Algorithm::HillisSteele, Algorithm::Blelloch] {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            for exclusive in [false, true] {
                let found = scanned(&scan, &device, exclusive, &floats);
                let wanted = expected(&Sum, algorithm, &floats, exclusive);
                assert_bits(&found, &wanted, format_args!("{algorithm}, exclusive: {exclusive}"));
            }
        }
    }
}

/// Grids of several rows, the last of them with workgroups to spare.
#[test]
fn grids_of_several_rows() {
    let floats = values::<f32>(4, sized(200_000, 40_000));
    for groups in [1, 2, 3, 30] {
        for subgroups in [true, false] {
            let device = own(Device::request().subgroups(subgroups).max_groups(groups));
            let scan = GpuScan::new(&device).algorithm(Algorithm::ThreePass);
            let found = scanned(&scan, &device, false, &floats);
            let wanted = expected(&Sum, Algorithm::ThreePass, &floats, false);
            assert_bits(&found, &wanted, format_args!("rows of {groups} workgroups"));
        }
    }
}

/// A binding that holds no tile: an error that names the limit, at any length.
#[test]
fn no_room_for_one_tile() {
    for subgroups in [true, false] {
        let device = own(Device::request().subgroups(subgroups).max_binding(4 << 10));
        for len in [1, 10_000] {
            let input = device.zeros::<u32>(len).expect("a buffer");
            let scan = GpuScan::new(&device).algorithm(Algorithm::ThreePass);
            let error = scan.inclusive(&input).expect_err("no tile fits");
            let Error::Unsupported { what, expected, found } = error else {
                panic!("expected Unsupported, found {error:?}")
            };
            assert_eq!((what, found), ("bytes in a storage binding", 4 << 10));
            assert!(expected > 16 << 10, "a tile has at least 16 KiB, but {expected} would do");
        }
        // The textbook tiles are small enough.
        let scan = GpuScan::new(&device).algorithm(Algorithm::HillisSteele);
        assert_eq!(scanned(&scan, &device, false, &[1u32, 2, 3]), [1, 3, 6]);
    }
}

/// Totals of all tiles have to be in one binding.
#[test]
fn no_room_for_the_totals() {
    let device = own(Device::request().max_binding(2 << 10));
    let scan = GpuScan::new(&device).algorithm(Algorithm::HillisSteele);
    // 512 totals of 256 elements fill the 2 KiB.
    let most = 512 * 256;
    let right = scanned(&scan, &device, false, &vec![1u32; most]);
    assert_eq!(right[most - 1], most as u32);
    let input = device.zeros::<u32>(most + 1).expect("a buffer");
    let error = scan.inclusive(&input).expect_err("513 totals");
    let wanted =
        Error::TooLarge { what: "the totals of all tiles", unit: "bytes", expected: 2 << 10, found: 513 * 4 };
    assert_eq!(error, wanted);
    assert_eq!(
        error.to_string(),
        "the totals of all tiles is too large: expected at most 2048 bytes, found 2052"
    );
}

/// A recursion's upper levels have to be covered by one grid.
#[test]
fn no_grid_covers_the_totals() {
    let device = own(Device::request().max_groups(2));
    let scan = GpuScan::new(&device).algorithm(Algorithm::HillisSteele);
    // 2 × 2 workgroups scan the totals of 4 · 256 tiles.
    let most = 4 * 256 * 256;
    let right = scanned(&scan, &device, false, &vec![1u32; most]);
    assert_eq!(right[most - 1], most as u32);
    let input = device.zeros::<u32>(most + 1).expect("a buffer");
    let error = scan.inclusive(&input).expect_err("1,025 tiles");
    let wanted =
        Error::TooLarge { what: "the grid of a dispatch", unit: "workgroups", expected: 4, found: 5 };
    assert_eq!(error, wanted);
}

/// One tile is all that a single-tile scan takes.
#[test]
fn a_single_tile_is_only_one() {
    for device in everywhere().filter(|device| !device.is_cpu()) {
        let scan = GpuScan::new(&device).algorithm(Algorithm::SingleTile);
        let refused = |len: usize| {
            let input = device.zeros::<f32>(len).expect("a buffer");
            let error = scan.inclusive(&input).expect_err("more than a tile");
            let Error::TooLarge {
                what: "the input of a single-tile scan",
                unit: "elements",
                expected,
                found,
            } = error
            else {
                panic!("{device}: {error:?}")
            };
            assert_eq!(found, len as u64, "{device}");
            expected as usize
        };
        let tile = refused(100_000);
        let tiles = if common::has_subgroups(&device) { &[4096, 8192][..] } else { &[4096] };
        assert!(tiles.contains(&tile), "{device}: a tile of {tile}");
        check(&device, Algorithm::SingleTile, &values::<f32>(5, tile));
        assert_eq!(refused(tile + 1), tile, "{device}");
    }
}

/// Buffers up to the device's limit, not beyond.
#[test]
fn no_buffer_beyond_the_limit() {
    let device = own(Device::request().max_buffer(1 << 20).max_binding(1 << 20));
    let most = (1 << 20) / size_of::<u32>();
    assert_eq!(device.zeros::<u32>(most).expect("just fits").len(), most);
    let input = device.upload(&vec![1u32; most]).expect("just fits");
    let output = GpuScan::new(&device).inclusive(&input).expect("just fits");
    assert_eq!(output.to_vec().expect("download")[most - 1], most as u32);

    let wanted =
        Error::TooLarge { what: "a buffer", unit: "bytes", expected: 1 << 20, found: (1 << 20) + 16 };
    assert_eq!(device.zeros::<u32>(most + 1).expect_err("too large"), wanted);
    assert_eq!(device.upload(&vec![1u32; most + 1]).expect_err("too large"), wanted);
}
