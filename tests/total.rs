//! Totals in one dispatch: what every workgroup found, combined by whoever is done last.

mod common;

use common::{
    everywhere,
    inputs::{hash, hashes, values},
    oracle::assert_bits,
    own,
    parenthesis::Parenthesis,
    sized,
};
use gpuscan::{
    Affine, Algorithm, Device, DeviceRequest, Element, Error, GpuBuffer, GpuReduce, GpuScan, Map,
    MatrixProduct, Max, Min, Monoid, Same, Sum, Widen, order,
};

const BLOCK: usize = 1 << 18;

/// Around tiles of 2^12 and 2^13, and around blocks. Long after short and short after long: each dispatch empties what
/// the one before it left.
const LENS: [usize; 22] = [
    1,
    3 * BLOCK + 12_345,
    2,
    4095,
    4096,
    4097,
    5 * BLOCK,
    33,
    8191,
    8192,
    8193,
    4096 + 31,
    BLOCK - 1,
    BLOCK,
    BLOCK + 1,
    100,
    2 * BLOCK - 4096,
    2 * BLOCK - 4095,
    9000,
    1 << 20,
    50_000,
    (1 << 20) + 5,
];
const FEW: [usize; 6] = [1, 9000, 300_000, 4097, BLOCK, 33];

/// With subgroups, and without.
fn devices(request: impl Fn() -> DeviceRequest) -> impl Iterator<Item = Device> {
    [true, false].into_iter().map(move |subgroups| own(request().subgroups(subgroups)))
}

/// The last result of the inclusive scan on the CPU.
fn expected<A: Element, T: Element>(monoid: &impl Monoid<T>, map: &impl Map<A, T>, input: &[A]) -> T {
    let mut mapped: Vec<T> = input.iter().map(|&value| map.apply(value)).collect();
    order::scan(monoid, &mut mapped);
    mapped.last().copied().unwrap_or(monoid.identity())
}

/// Every length at the start of `input`, three times in a row.
fn agrees<A: Element, T: Element, M: Monoid<T>, I: Map<A, T>>(
    device: &Device,
    monoid: M,
    map: I,
    input: &[A],
    lens: &[usize],
) {
    let uploaded = device.upload(input).expect("upload");
    let reduce =
        GpuReduce::with_monoid(device, monoid.clone()).mapping(map.clone()).algorithm(Algorithm::SinglePass);
    let wanted: Vec<T> = lens.iter().map(|&len| expected(&monoid, &map, &input[..len])).collect();
    for round in 0..3 {
        for (&len, wanted) in lens.iter().zip(&wanted) {
            let total: GpuBuffer<T> =
                reduce.reduce(&uploaded.slice(..len).expect("a slice")).expect("a total");
            let what = format_args!("round {round}, {len} to {}, {device}", std::any::type_name::<M>());
            assert_bits(&total.to_vec().expect("download"), &[*wanted], what);
        }
    }
}

fn longest(lens: &[usize]) -> usize {
    lens.iter().copied().max().unwrap_or(0)
}

#[test]
fn totals_that_come() {
    let lens = sized(&LENS[..], &FEW);
    for device in devices(Device::request) {
        agrees(&device, Sum, Same, &values::<f32>(1, longest(lens)), lens);
        agrees(&device, Parenthesis, Same, &values::<u32>(2, longest(lens)), lens);
    }
}

#[test]
fn totals_that_do_not_come_are_computed() {
    let lens = sized(&LENS[..], &FEW);
    for device in devices(|| Device::request().patience(0)) {
        agrees(&device, Parenthesis, Same, &values::<u32>(3, longest(lens)), lens);
    }
}

/// Every other tile publishes nothing, or every seventh, the first block, the first one; two in three publish long
/// after they were counted; they begin in another order.
#[test]
fn faults_of_others_change_nothing() {
    let lens = sized(&[3 * BLOCK + 12_345, 9000, 1 << 20, 4097, BLOCK][..], &[300_000, 9000]);
    for fault in 1..=6 {
        for device in devices(|| Device::request().patience(8).fault(fault)).take(sized(2, 1)) {
            agrees(&device, Parenthesis, Same, &values::<u32>(4, longest(lens)), lens);
        }
    }
}

/// Tiles of other sizes, among them those of GPUs, whose lanes go through their quads without loops.
#[test]
fn tiles_of_all_sizes() {
    for log2 in sized(&[10, 11, 12, 13][..], &[10, 12]) {
        let lens = sized(&[3 * BLOCK + 12_345, 1025, 1 << 20, 8191, BLOCK + 1][..], &[BLOCK + 1, 1025]);
        for device in devices(|| Device::request().tile_log2(*log2)) {
            agrees(&device, Parenthesis, Same, &values::<u32>(5, longest(lens)), lens);
        }
    }
}

/// Workgroups that take several tiles, the last of them fewer or parts.
#[test]
fn several_tiles_at_once() {
    let lens = sized(&LENS[..], &FEW);
    for tiles in [2, 4] {
        let request = || Device::request().tiles_at_once(tiles);
        for request in [request(), request().tile_log2(12), request().patience(8).fault(1)] {
            agrees(&own(request), Parenthesis, Same, &values::<u32>(12, longest(lens)), lens);
        }
    }
}

/// Elements of one word to four; operators that do not commute; maps.
#[test]
fn elements_of_all_kinds() {
    let lens = sized(&[1, 2 * BLOCK + 4099, 4095, BLOCK, 9001][..], &[9001, 1]);
    let len = longest(lens);
    let few = || Device::request().patience(8).fault(sized(2, 0));
    for device in devices(few).take(sized(2, 1)) {
        let numbers: Vec<u64> = hashes(1).take(len).collect();
        agrees(&device, Sum, Same, &numbers, lens);
        agrees(&device, Min, Same, &values::<f32>(6, len), lens);
        agrees(&device, Max, Same, &values::<u32>(7, len), lens);
        let maps: Vec<[u32; 2]> = (0..len as u64).map(|i| [hash(i) as u32 | 1, hash(!i) as u32]).collect();
        agrees(&device, Affine, Same, &maps, lens);
        let floats = values::<f32>(8, 2 * len);
        let pairs: Vec<[f32; 2]> = floats.chunks(2).map(|pair| [pair[0].signum(), pair[1]]).collect();
        agrees(&device, Affine, Same, &pairs, lens);
        let triples: Vec<[f32; 3]> =
            values::<f32>(9, 3 * len).chunks(3).map(|t| [t[0], t[1], t[2]]).collect();
        agrees(&device, Sum, Same, &triples, lens);
        let matrices: Vec<[u32; 4]> = (0..len as u64).map(|i| [1, hash(i) as u32, 0, 1]).collect();
        agrees(&device, MatrixProduct, Same, &matrices, lens);
        let bytes: Vec<u8> = hashes(2).take(len).map(|bits| bits as u8).collect();
        agrees(&device, Parenthesis, Widen, &bytes, lens);
    }
}

/// More blocks than a workgroup has lanes.
#[test]
fn many_blocks() {
    let len = sized(258 * BLOCK + 4321, 3 * BLOCK + 4321);
    let bytes: Vec<u8> = hashes(3).take(len).map(|bits| bits as u8).collect();
    for request in [Device::request(), Device::request().patience(8).fault(2)] {
        agrees(&own(request), Parenthesis, Widen, &bytes, &[len, 9000]);
    }
}

/// Grids of several rows, the last of them with workgroups to spare; elements that do not begin on 16 bytes; and pieces,
/// which take several dispatches.
#[test]
fn grids_places_and_pieces() {
    let len = sized(600_001, 50_001);
    let input = values::<u32>(10, len);
    for request in [Device::request().max_groups(13), Device::request().max_binding(1 << 20)] {
        let device = own(request);
        let uploaded = device.upload(&input).expect("upload");
        for start in [0, 4, 3] {
            let reduce = GpuReduce::with_monoid(&device, Parenthesis).algorithm(Algorithm::SinglePass);
            let total = reduce.reduce(&uploaded.slice(start..).expect("a slice")).expect("a total");
            let wanted = expected(&Parenthesis, &Same, &input[start..]);
            assert_bits(&total.to_vec().expect("download"), &[wanted], format_args!("{start}, {device}"));
        }
    }
}

/// Scans and totals by turns: they share the states, and each clears what the other left.
#[test]
fn scans_and_totals_share_states() {
    let device = own(Device::request());
    let longest = sized(1 << 20, 1 << 18);
    let input = values::<f32>(11, longest);
    let uploaded = device.upload(&input).expect("upload");
    let scan = GpuScan::new(&device).algorithm(Algorithm::SinglePass);
    let reduce = GpuReduce::new(&device).algorithm(Algorithm::SinglePass);
    for round in 0..sized(40, 6) {
        let bits = hash(round);
        let len = 1 + (bits >> 8) as usize % (longest >> (bits % 8));
        let mut wanted = input[..len].to_vec();
        order::scan(&Sum, &mut wanted);
        let data = uploaded.slice(..len).expect("a slice");
        let what = format!("round {round}, {len}, {device}");
        if bits & (1 << 40) != 0 {
            let scanned: GpuBuffer<f32> = scan.inclusive(&data).expect("a scan");
            assert_bits(&scanned.to_vec().expect("download"), &wanted, &what);
        }
        let total: GpuBuffer<f32> = reduce.reduce(&data).expect("a total");
        assert_bits(&total.to_vec().expect("download"), &wanted[len - 1..], &what);
    }
}

/// The textbook algorithms have orders of their own.
#[test]
fn totals_are_canonical() {
    for device in everywhere() {
        let input = device.upload(&[1u32, 2, 3]).expect("upload");
        for algorithm in Algorithm::ALL {
            let total = GpuReduce::new(&device).algorithm(algorithm).reduce::<u32, u32>(&input);
            match algorithm.is_canonical() {
                true => assert_eq!(total.expect("a total").to_vec().expect("download"), [6], "{algorithm}"),
                false => assert!(matches!(total, Err(Error::Invalid { .. })), "{algorithm}: {total:?}"),
            }
        }
    }
}
