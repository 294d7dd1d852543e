//! Totals of rows against the CPU, to the bit: rows of all lengths, at all places of tiles and blocks.

mod common;

use common::{
    checker::record,
    everywhere,
    inputs::{hashes, uniform, values},
    one_of,
    oracle::assert_bits,
    own,
    parenthesis::Parenthesis,
    records, sized,
};
use gpuscan::{
    Affine, Csr, Device, Element, GpuBuffer, GpuCsr, GpuReduce, Map, MatrixProduct, Min, Monoid, Widen,
};

/// Entries in a tile, and in a block.
const TILE: u32 = 1 << 10;
const BLOCK: u32 = 1 << 18;

/// Offsets of rows that end at these places, in any order.
fn ending_at(ends: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut offsets: Vec<u32> = [0].into_iter().chain(ends).collect();
    offsets.sort_unstable();
    offsets
}

/// Rows of random lengths up to `most`, from the first entry to the last.
fn random(len: u32, most: u32, seed: u64) -> Vec<u32> {
    let ends = hashes(seed).scan(0u32, |end, bits| {
        *end += bits as u32 % (most + 1);
        (*end < len).then_some(*end)
    });
    ending_at(ends.chain([len]))
}

/// Rows of `len` entries in several ways.
fn patterns(len: u32) -> Vec<(&'static str, Vec<u32>)> {
    let near = |place: u32| (place.saturating_sub(3)..=place + 3).filter(move |&at| at <= len);
    let every = |step: u32| (0..=len / step).map(move |i| i * step);
    vec![
        ("one row", vec![0, len]),
        ("all empty", vec![len / 2; 3000]),
        ("of one entry", (0..=len.min(5000)).collect()),
        ("short", random(len, 9, 1)),
        ("of about a tile", random(len, 2 * TILE, 2)),
        ("of about a block", random(len, 2 * BLOCK, 3)),
        ("from tile to tile", ending_at(every(TILE))),
        ("from block to block", ending_at(every(BLOCK).chain([len]))),
        ("around the borders of tiles", ending_at(every(TILE).take(20).flat_map(near))),
        ("around the borders of blocks", ending_at(every(BLOCK).flat_map(near).chain([len]))),
        (
            "long, between empty ones",
            [vec![0; 700], vec![len / 7; 3000], vec![len - len / 7; 2000], vec![len; 700]].concat(),
        ),
        ("inside, and beyond the end", vec![len / 3, len / 3 + 1, len / 2 + 1, len + 5, len + 9]),
        ("nothing but one offset", vec![len]),
    ]
}

/// Totals twice: another job's traces lie in scratch memory then.
fn totals<A: Element, T: Element, M: Monoid<T>, I: Map<A, T>>(
    device: &Device,
    reduce: &GpuReduce<M, I>,
    input: &GpuBuffer<A>,
    offsets: &GpuBuffer<u32>,
) -> Vec<T> {
    let dirt = device.upload(&values::<f32>(9, 3 * TILE as usize)).expect("upload");
    let one_row = device.upload(&[5, 3 * TILE - 5]).expect("upload");
    let mut found = Vec::new();
    for recorded in [false, true] {
        let _: GpuBuffer<f32> = GpuReduce::new(device).reduce_segments(&dirt, &one_row).expect("totals");
        let output = device.zeros::<T>(offsets.len() - 1).expect("a buffer");
        match recorded && records(device) {
            true => record(device, |encoder| reduce.encode_segments(encoder, input, offsets, &output)),
            false => reduce.reduce_segments_into(input, offsets, &output),
        }
        .expect("totals");
        let totals = output.to_vec().expect("download");
        assert!(found.is_empty() || found == totals, "two runs on {device}");
        found = totals;
    }
    found
}

/// Neither input nor offsets begin where their buffers do.
fn shifted<T: Element>(device: &Device, by: usize, values: &[T]) -> GpuBuffer<T> {
    let shifted: Vec<T> = values[..1].repeat(by).into_iter().chain(values.iter().copied()).collect();
    device.upload(&shifted).expect("upload").slice(by..).expect("a slice")
}

fn check<A: Element, T: Element, M: Monoid<T>, I: Map<A, T>>(
    devices: impl IntoIterator<Item = Device>,
    name: &str,
    input: &[A],
    reduce: impl Fn(&Device) -> GpuReduce<M, I>,
) {
    let on = |device: &Device, offsets: &[u32]| {
        let (input, offsets) = (shifted(device, 3, input), shifted(device, 5, offsets));
        totals(device, &reduce(device), &input, &offsets)
    };
    let devices: Vec<Device> = devices.into_iter().collect();
    for (pattern, offsets) in patterns(input.len() as u32) {
        let wanted = on(&Device::cpu(), &offsets);
        for device in &devices {
            let what = format!("{name}: {} {pattern}, {device}", input.len());
            assert_bits(&on(device, &offsets), &wanted, what);
        }
    }
}

fn lengths() -> Vec<usize> {
    let (tile, block) = (TILE as usize, BLOCK as usize);
    let few = vec![1, 2, 3, tile - 1, tile, tile + 1, 9 * tile + 17];
    let many = [block - 1, block, block + 1, 3 * block + 5 * tile + 7];
    sized([few.clone(), many.to_vec()].concat(), few)
}

#[test]
fn sums_of_floats() {
    for len in lengths() {
        check(everywhere(), "f32", &values::<f32>(len as u64, len), GpuReduce::new);
    }
}

#[test]
fn the_parenthesisation_is_the_canonical_one() {
    for len in lengths() {
        let input = values::<u32>(len as u64, len);
        check(one_of(everywhere(), "parenthesis"), "parenthesis", &input, |device| {
            GpuReduce::with_monoid(device, Parenthesis)
        });
    }
}

/// Elements of one word and of two, and some that are too wide; narrow ones; operators that do not commute.
#[test]
fn other_elements_and_operators() {
    let devices = |name| one_of(everywhere(), name);
    let tile = TILE as usize;
    for len in [tile + 1, 9 * tile + 17, sized(BLOCK as usize + tile + 3, 3 * tile)] {
        let seed = len as u64;
        let pairs: Vec<[u32; 2]> = hashes(seed).take(len).map(|bits| [bits as u32 | 1, 5]).collect();
        let matrices: Vec<[u32; 4]> =
            hashes(seed).take(len.min(5000)).map(|bits| [1, bits as u32, (bits >> 32) as u32, 1]).collect();
        let triples: Vec<[u32; 3]> =
            hashes(seed).take(len.min(5000)).map(|bits| [bits as u32, 7, 1]).collect();
        let bytes: Vec<u8> = hashes(seed).take(len).map(|bits| bits as u8).collect();
        let doubles: Vec<f64> =
            values::<f32>(seed, len.min(5000)).into_iter().map(|x| f64::from(x) / 3.0).collect();
        let longs: Vec<u64> = hashes(seed).take(len).collect();
        check(devices("u64"), "u64", &longs, GpuReduce::new);
        check(devices("f64"), "f64", &doubles, GpuReduce::new);
        check(devices("least"), "least", &values::<f32>(seed, len), |device| {
            GpuReduce::with_monoid(device, Min)
        });
        check(devices("affine"), "affine", &pairs, |device| GpuReduce::with_monoid(device, Affine));
        check(devices("triples"), "triples", &triples, GpuReduce::new);
        check(devices("matrix"), "matrix", &matrices, |device| GpuReduce::with_monoid(device, MatrixProduct));
        let of_bytes = |device: &Device| GpuReduce::new(device).mapping(Widen);
        check::<u8, u32, _, _>(devices("bytes"), "bytes", &bytes, of_bytes);
    }
}

/// Rows of these lengths, as many as fit into `len` entries, the first of which begins at `begin`.
fn of_lengths(len: u32, begin: u32, lengths: impl Iterator<Item = u32>) -> Vec<u32> {
    let ends = lengths.scan(begin, |end, length| {
        *end += length;
        (*end <= len).then_some(*end)
    });
    [begin].into_iter().chain(ends).collect()
}

/// Rows about as long as a quad, at every place of quads, tiles and blocks; entries that lie in whole quads, and not.
#[test]
fn short_rows_everywhere() {
    let tile = 2 * TILE;
    let len = sized(BLOCK + 3 * tile + 2, 3 * tile + 2);
    let input = values::<f32>(4, len as usize);
    let words = values::<u32>(5, len as usize);
    let mut cases = Vec::new();
    // Each length at each place of two quads: lengths that are odd come to all of them.
    for length in 1..=9 {
        for begin in [0, 1, 2, 5] {
            cases.push(of_lengths(len, begin, std::iter::repeat(length)));
        }
    }
    // And such as take more and more levels of a tree.
    for length in (10..=24).chain([33, 36, 37, 38, 65, 68, 70, 129, 133, 260, 513, 1030]) {
        cases.push(of_lengths(len, length % 4, std::iter::repeat(length)));
    }
    for seed in 0..3 {
        // More than a thousand rows a tile, and few that need levels.
        let ones = hashes(seed.into()).map(|bits| match bits % 1500 {
            0 => 40,
            1..60 => 0,
            _ => 1,
        });
        cases.push(of_lengths(len, seed, ones));
        cases.push(of_lengths(len, seed, hashes(seed.into()).map(|bits| bits as u32 % 10)));
        cases.push(of_lengths(len, seed, hashes(seed.into()).map(|bits| bits as u32 % 40)));
        // One longer row among many short ones.
        let mixed = hashes(seed.into()).map(|bits| if bits % 700 == 0 { 900 } else { bits as u32 % 6 });
        cases.push(of_lengths(len, seed, mixed));
    }
    let reduce = |device: &Device, offset: usize, offsets: &[u32]| {
        let on = |input: &[f32]| {
            let (input, offsets) = (shifted(device, offset, input), device.upload(offsets).expect("upload"));
            GpuReduce::new(device).reduce_segments::<f32, f32>(&input, &offsets).expect("totals")
        };
        on(&input).to_vec().expect("download")
    };
    let parenthesis = |device: &Device, offset: usize, offsets: &[u32]| {
        let (input, offsets) = (shifted(device, offset, &words), device.upload(offsets).expect("upload"));
        let reduce = GpuReduce::with_monoid(device, Parenthesis);
        reduce.reduce_segments::<u32, u32>(&input, &offsets).expect("totals").to_vec().expect("download")
    };
    let devices: Vec<Device> = everywhere().collect();
    for (case, offsets) in cases.iter().enumerate() {
        let (sums, others) = (reduce(&Device::cpu(), 0, offsets), parenthesis(&Device::cpu(), 0, offsets));
        for device in &devices {
            for offset in [0, 1, 4] {
                let what = format!("case {case}, from {offset} on, {device}");
                assert_bits(&reduce(device, offset, offsets), &sums, &what);
                assert_bits(&parenthesis(device, offset, offsets), &others, &what);
            }
        }
    }
}

/// What elements of all widths, and columns, look like in quads, up to the very end of their buffers.
#[test]
fn quads_and_single_elements() {
    for len in [1, 4, 2047, 2049, 2050, 2052, sized(50_003, 5003)] {
        let seed = len as u64;
        let offsets = random(len as u32, 20, seed);
        let longs: Vec<u64> = hashes(seed).take(len).collect();
        let bytes: Vec<u8> = hashes(seed).take(len).map(|bits| bits as u8).collect();
        let halves: Vec<half::f16> = values::<f32>(seed, len).into_iter().map(half::f16::from_f32).collect();
        let floats = values::<f32>(seed, len);
        let columns: Vec<u32> = hashes(seed).take(len).map(|bits| bits as u32 % 300).collect();
        let x = values::<f32>(7, 290); // not all columns
        for device in everywhere() {
            for by in [0, 1, 2, 4, 8] {
                let what = format!("{len} from {by} on, {device}");
                let host = Device::cpu();
                let on = |device: &Device| {
                    let offsets = device.upload(&offsets).expect("upload");
                    let sums: GpuBuffer<u64> = GpuReduce::new(device)
                        .reduce_segments(&shifted(device, by, &longs), &offsets)
                        .expect(&what);
                    let widened: GpuBuffer<u32> = GpuReduce::new(device)
                        .mapping(Widen)
                        .reduce_segments(&shifted(device, by, &bytes), &offsets)
                        .expect(&what);
                    let floats_of_halves: GpuBuffer<f32> = GpuReduce::new(device)
                        .mapping(Widen)
                        .reduce_segments(&shifted(device, by, &halves), &offsets)
                        .expect(&what);
                    (
                        sums.to_vec().expect("download"),
                        widened.to_vec().expect("download"),
                        floats_of_halves.to_vec().expect("download"),
                    )
                };
                let (found, wanted) = (on(&device), on(&host));
                assert_bits(&found.0, &wanted.0, &what);
                assert_bits(&found.1, &wanted.1, &what);
                assert_bits(&found.2, &wanted.2, &what);
                for columns_by in [0, 3, by] {
                    let on = |device: &Device| {
                        let matrix = Csr {
                            offsets: device.upload(&offsets).expect("upload"),
                            entries: shifted(device, columns_by, &columns),
                        };
                        let (values, x) = (shifted(device, by, &floats), device.upload(&x).expect("upload"));
                        let y = GpuCsr::new(device).multiply(&matrix, &values, &x).expect(&what);
                        y.to_vec().expect("download")
                    };
                    assert_bits(&on(&device), &on(&host), &what);
                }
            }
        }
    }
}

/// A product into the midst of a buffer. Columns, values, offsets and vector begin anywhere.
fn product(device: &Device, columns: &[u32], values: &[f32], x: &[f32], offsets: &[u32]) -> Vec<f32> {
    let rows = offsets.len() - 1;
    let memory = device.upload(&vec![77f32; rows + 5]).expect("upload");
    let y = memory.slice(2..rows + 2).expect("a slice");
    let matrix = Csr { offsets: shifted(device, 1, offsets), entries: shifted(device, 6, columns) };
    let (values, x) = (shifted(device, 3, values), shifted(device, 2, x));
    GpuCsr::new(device).multiply_into(&matrix, &values, &x, &y).expect("a product");
    memory.to_vec().expect("download")
}

#[test]
fn products() {
    // And on a device that cuts the entries into pieces.
    let pieces = own(Device::request().max_binding(1 << 20));
    for len in lengths() {
        let columns: Vec<u32> = hashes(1).take(len).map(|bits| bits as u32 % 1000).collect();
        let values: Vec<f32> = hashes(2).take(len).map(|bits| uniform(bits) - 0.5).collect();
        let x: Vec<f32> = hashes(3).take(990).map(|bits| uniform(bits) - 0.5).collect(); // not all columns
        for (pattern, offsets) in patterns(len as u32) {
            let on = |device: &Device| product(device, &columns, &values, &x, &offsets);
            let wanted = on(&Device::cpu());
            for device in everywhere().chain([pieces.clone()]) {
                assert_bits(&on(&device), &wanted, format_args!("{len} {pattern}, {device}"));
            }
        }
    }
}

/// They give anything, but come to an end, and write nothing else.
#[test]
fn offsets_that_decrease() {
    let len = 5 * TILE as usize;
    let ones = vec![1f32; len];
    let falling: Vec<u32> = (0..3000).map(|i| (3000 - i) * 2).collect();
    let wild: Vec<u32> = hashes(6).take(3000).map(|bits| bits as u32 % (2 * len as u32)).collect();
    let extreme: Vec<u32> = (0..3000).map(|i| if i % 3 == 0 { u32::MAX } else { i }).collect();
    for device in everywhere() {
        for offsets in [&falling, &wild, &extreme] {
            let found = product(&device, &vec![0; len], &ones, &ones, offsets);
            let (before, after) = (&found[..2], &found[found.len() - 3..]);
            assert!(before.iter().chain(after).all(|&untouched| untouched == 77.0), "{device}");
        }
    }
}
