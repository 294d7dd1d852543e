//! The single pass: totals handed from workgroup to workgroup, whether they come or not.

mod common;

use common::{
    checker::scanned,
    inputs::{hash, hashes, values},
    oracle::{assert_bits, expected},
    own, sized,
};
use gpuscan::{Affine, Algorithm, Device, Element, GpuCompact, GpuScan, MatrixProduct, Monoid, Sum};

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

/// Whatever tiles fail to tell each other: every other one tells nothing, or every seventh, the whole first block,
/// the first tile; two in three tell late; they begin in another order. Patience is short, for a fault is only one
/// where it runs out.
#[test]
fn faults_of_others_change_nothing() {
    for fault in 1..=6 {
        for subgroups in sized(&[true, false][..], &[true]) {
            let device = own(Device::request().subgroups(*subgroups).patience(8).fault(fault));
            agrees(&device, sized(&[300_001, 9000, 1_000_000], &[300_000, 9000]));
        }
    }
}

/// A scan of `input` on a device and on the CPU.
fn agrees_on<T: Element, M: Monoid<T>>(device: &Device, monoid: &M, exclusive: bool, input: &[T]) {
    let scan = GpuScan::with_monoid(device, monoid.clone()).algorithm(Algorithm::SinglePass);
    let wanted = expected(monoid, Algorithm::SinglePass, input, exclusive);
    let found = scanned(&scan, device, exclusive, input);
    let words = size_of::<T>() / 4;
    assert_bits(&found, &wanted, format_args!("{} of {words} words, {exclusive}, {device}", input.len()));
}

/// Of two words, three and four, and operators that do not commute. What is handed on takes more words then.
#[test]
fn elements_of_several_words() {
    // Every other tile tells nothing: what comes and what does not, in one kernel.
    let device = own(Device::request().patience(8).fault(1));
    for &len in sized(&[1, 20_001, 300_001, 9000][..], &[9000]) {
        agrees_on(&device, &Sum, false, &hashes(1).take(len).collect::<Vec<u64>>());
        let maps: Vec<[u32; 2]> = (0..len as u64).map(|i| [hash(i) as u32 | 1, hash(i) as u32]).collect();
        agrees_on(&device, &Affine, true, &maps);
        let matrices: Vec<[u32; 4]> = (0..len as u64).map(|i| [1, hash(i) as u32, 0, 1]).collect();
        agrees_on(&device, &MatrixProduct, false, &matrices);
        let keys: Vec<u32> = (0..len as u32).map(|i| i / 1000).collect();
        let numbers: Vec<u64> = hashes(2).take(len).collect();
        let by_key = |device: &Device| {
            let (keys, numbers) = (device.upload(&keys)?, device.upload(&numbers)?);
            let scan = GpuScan::new(device).algorithm(Algorithm::SinglePass);
            scan.of(&numbers).by_key(&keys).run::<u64>()?.to_vec()
        };
        let found = by_key(&device).expect("a scan");
        assert_bits(&found, &by_key(&Device::cpu()).expect("a scan"), format_args!("keys, {len}, {device}"));
    }
}

/// What is built on scans can take the single pass; here it is asked for, without a fault and with one.
#[test]
fn compaction() {
    let request = |fault| Device::request().patience(8).fault(fault);
    // With tiles of a size that was chosen, kernels are those of GPUs: lanes hold the elements.
    let requests = [(1, request(1)), (0, request(0).tile_log2(12)), (1, request(1).tile_log2(13))];
    for (fault, request) in sized(&requests[..], &requests[..1]).iter().cloned() {
        let device = own(request);
        for &len in sized(&[9000, 300_001, 1_000_000, 262_144, 524_288][..], &[9000]) {
            let floats = values::<f32>(len as u64, len);
            let flags: Vec<u32> = hashes(3).take(len).map(|bits| bits as u32 % 3).collect();
            let run = |device: &Device| {
                let (floats, flags) = (device.upload(&floats)?, device.upload(&flags)?);
                let kept = GpuCompact::new(device).of(&floats).flagged(&flags).run()?;
                Ok::<_, gpuscan::Error>((kept.count.to_vec()?[0] as usize, kept.values.to_vec()?))
            };
            let (found, wanted) = (run(&device).expect("a run"), run(&Device::cpu()).expect("a run"));
            let kept = wanted.0;
            assert_eq!(found.0, kept, "{len}, fault {fault}, {device}");
            assert_bits(&found.1[..kept], &wanted.1[..kept], format_args!("{len}, fault {fault}, {device}"));
        }
    }
}

/// Many scans of all lengths over the same states: each finds them as the one before it left them.
#[test]
fn states_are_reused() {
    let device = own(Device::request());
    let scan = GpuScan::new(&device).algorithm(Algorithm::SinglePass);
    let longest = sized(1 << 20, 1 << 18);
    let input = values::<f32>(11, longest + 64);
    let source = device.upload(&input).expect("upload");
    let target = device.zeros::<f32>(longest).expect("a buffer");
    let rounds = common::repetitions(sized(60, 6));
    for round in 0..rounds {
        let bits = hash(round as u64);
        // Each magnitude as often as the others; another part of the input each time.
        let len = 1 + (bits >> 8) as usize % (longest >> (bits % 8));
        let start = 4 * (bits >> 40) as usize % 64;
        let wanted = expected(&Sum, Algorithm::SinglePass, &input[start..start + len], false);
        let (from, to) =
            (source.slice(start..start + len).expect("a slice"), target.slice(..len).expect("a slice"));
        scan.inclusive_into(&from, &to).expect("a scan");
        assert_bits(&to.to_vec().expect("download"), &wanted, format_args!("round {round}, {len}, {device}"));
    }
}

/// A driver that passes the other tests passes the one for users, in good time once kernels are compiled.
#[test]
fn drivers_pass_the_self_test() {
    for subgroups in [true, false] {
        let device = own(Device::request().subgroups(subgroups));
        assert_eq!(device.self_test(), Ok(()), "{device}");
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
