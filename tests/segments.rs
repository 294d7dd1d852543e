//! Segmented scans against a sequential fold of each segment.

mod common;

use common::{
    checker::record,
    everywhere,
    inputs::{hash, hashes, values},
    oracle::assert_bits,
    own, sized,
};
use gpuscan::{Affine, Device, Error, GpuBuffer, GpuReduce, GpuScan, Monoid, Sum, Widen, order};

/// Each segment scanned on its own, for an operator whose results do not depend on the order: wrapping sums.
fn wanted(values: &[u32], heads: &[bool], exclusive: bool) -> Vec<u32> {
    let mut sum = 0u32;
    let step = |(&value, &head): (&u32, &bool)| {
        let before = if head { 0 } else { sum };
        sum = before.wrapping_add(value);
        if exclusive { before } else { sum }
    };
    values.iter().zip(heads).map(step).collect()
}

/// Heads that are rare, common, everywhere, nowhere.
fn patterns(len: usize) -> [Vec<bool>; 4] {
    let every = |n: u64| (0..len as u64).map(move |i| hash(i ^ n).is_multiple_of(n)).collect();
    [every(1000), every(3), vec![true; len], vec![false; len]]
}

fn lengths() -> [usize; 5] {
    [0, 1, 1000, 4097, sized(300_001, 9000)]
}

fn scanned(device: &Device, input: &GpuBuffer<u32>, segments: Segments, exclusive: bool) -> Vec<u32> {
    let scan = GpuScan::new(device);
    let mut scanning = scan.of(input);
    if exclusive {
        scanning = scanning.exclusive();
    }
    let scanning = match segments {
        Segments::Flags(flags) => scanning.by_flags(flags),
        Segments::Keys(keys) => scanning.by_key(keys),
        Segments::Offsets(offsets) => scanning.by_offsets(offsets),
    };
    scanning.run().expect("a scan").to_vec().expect("download")
}

enum Segments<'a> {
    Flags(&'a GpuBuffer<u32>),
    Keys(&'a GpuBuffer<u64>),
    Offsets(&'a GpuBuffer<u32>),
}

#[test]
fn by_flags_keys_and_offsets() {
    for device in everywhere() {
        for len in lengths() {
            let input = values::<u32>(len as u64, len);
            let uploaded = device.upload(&input).expect("upload");
            for (pattern, heads) in patterns(len).into_iter().enumerate() {
                let flags: Vec<u32> = heads.iter().map(|&head| if head { 0x100 } else { 0 }).collect();
                // Keys differ in their upper words alone.
                let keys: Vec<u64> = heads
                    .iter()
                    .scan(1u64, |key, &head| {
                        *key += u64::from(head) << 32;
                        Some(*key)
                    })
                    .collect();
                // Out of order, some of them twice, one behind the end.
                let mut offsets: Vec<u32> =
                    (0u32..).zip(&heads).filter(|(_, head)| **head).map(|(i, _)| i).collect();
                offsets.extend(offsets.clone().iter().rev().take(5));
                offsets.push(len as u32);
                // Not at the start of their buffers.
                let upload = |words: &[u32]| {
                    let shifted: Vec<u32> = [9, 9, 9].iter().chain(words).copied().collect();
                    device.upload(&shifted).expect("upload").slice(3..).expect("a slice")
                };
                let (flags, offsets) = (upload(&flags), upload(&offsets));
                let keys = device.upload(&keys).expect("upload");
                for exclusive in [false, true] {
                    let wanted = wanted(&input, &heads, exclusive);
                    let what = format!("{len}, pattern {pattern}, exclusive: {exclusive}, {device}");
                    let found = scanned(&device, &uploaded, Segments::Flags(&flags), exclusive);
                    assert_bits(&found, &wanted, format_args!("by flags: {what}"));
                    let found = scanned(&device, &uploaded, Segments::Keys(&keys), exclusive);
                    assert_bits(&found, &wanted, format_args!("by keys: {what}"));
                    let found = scanned(&device, &uploaded, Segments::Offsets(&offsets), exclusive);
                    assert_bits(&found, &wanted, format_args!("by offsets: {what}"));
                }
            }
        }
    }
}

/// Floats have the same bits on every device: those of the CPU.
#[test]
fn floats_by_flags() {
    let len = 20_000;
    let input = values::<f32>(3, len);
    let flags: Vec<u32> = hashes(4).take(len).map(|bits| u32::from(bits % 50 == 0)).collect();
    let on = |device: &Device| {
        let (input, flags) = (device.upload(&input).expect("upload"), device.upload(&flags).expect("upload"));
        let sums: GpuBuffer<f32> = GpuScan::new(device).of(&input).by_flags(&flags).run().expect("a scan");
        sums.to_vec().expect("download")
    };
    let wanted = on(&Device::cpu());
    for device in everywhere() {
        assert_bits(&on(&device), &wanted, &device);
    }
}

/// Bytes in, sums of the runs of a key: input, operator and heads all of their own type.
#[test]
fn bytes_by_key() {
    for device in everywhere() {
        let bytes = device.upload(&[200u8, 100, 50, 7, 8, 9]).expect("upload");
        let keys = device.upload(&[1u32, 1, 1, 2, 2, 1]).expect("upload");
        let scan = GpuScan::new(&device).mapping(Widen);
        let sums: GpuBuffer<u32> = scan.of(&bytes).by_key(&keys).run().expect("a scan");
        assert_eq!(sums.to_vec().expect("download"), [200, 300, 350, 7, 15, 9]);
    }
}

/// arrayfire#2680: one key for all; the input stays as it is.
#[test]
fn one_key_for_all() {
    for device in everywhere() {
        let ones = device.upload(&[1u32; 41_000]).expect("upload");
        let keys = device.zeros::<u32>(41_000).expect("a buffer");
        let sums: GpuBuffer<u32> = GpuScan::new(&device).of(&ones).by_key(&keys).run().expect("a scan");
        let counted: Vec<u32> = (1..=41_000).collect();
        assert_eq!(sums.to_vec().expect("download"), counted);
        assert_eq!(ones.to_vec().expect("download"), [1; 41_000]);
    }
}

#[test]
fn segments_can_be_recorded_and_scanned_in_place() {
    for device in everywhere().filter(|device| !device.is_cpu()) {
        let data = device.upload(&[1u32, 2, 3, 4, 5, 6]).expect("upload");
        let offsets = device.upload(&[0u32, 2, 2, 5]).expect("upload");
        let scan = GpuScan::new(&device);
        record(&device, |encoder| scan.of(&data).by_offsets(&offsets).encode(encoder, &data))
            .expect("a scan");
        assert_eq!(data.to_vec().expect("download"), [1, 3, 3, 7, 12, 6]);
    }
}

#[test]
fn wishes_that_do_not_go_together() {
    for device in everywhere() {
        let data = device.upload(&[1u32; 6]).expect("upload");
        let few = device.upload(&[1u32; 5]).expect("upload");
        let scan = GpuScan::new(&device);
        let error = scan.of(&data).by_flags(&few).run::<u32>();
        assert!(matches!(error, Err(Error::Length { expected: 6, found: 5, .. })), "{error:?}");
        for scanning in [
            scan.of(&data).by_flags(&data).rows(3),
            scan.of(&data).by_flags(&data).reversed(),
            scan.of(&data).by_offsets(&data).starting_from(3),
        ] {
            let error = scanning.run::<u32>();
            assert!(matches!(error, Err(Error::Combination { .. })), "{error:?}");
        }
        let bytes = device.upload(&[1u8; 6]).expect("upload");
        let error = scan.of(&data).by_key(&bytes).run::<u32>();
        assert!(matches!(error, Err(Error::Layout { expected: 4, found: 1, .. })), "{error:?}");
    }
}

/// Offsets of segments, none that decrease: of a few lengths, of one that is very long, all empty, with elements
/// in front of the first and behind the last, up to the end and beyond.
fn offsets(len: usize) -> Vec<Vec<u32>> {
    let len = len as u32;
    let growing = |most: u32, seed| {
        let ends = hashes(seed).scan(0u32, move |end, bits| {
            *end += (bits as u32 % (most + 1)).saturating_sub(most / 3);
            (*end <= len).then_some(*end)
        });
        [0].into_iter().chain(ends.take(40_000)).collect::<Vec<_>>()
    };
    let mut whole = growing(9, 1);
    whole.push(len);
    let long = vec![0, 0, len / 50, len - len / 50, len - len / 50, len, len];
    let inside = growing(700, 2).into_iter().map(|offset| len / 7 + offset).filter(|&at| at <= len).collect();
    vec![whole, long, inside, vec![len / 3; 600], vec![0, len + 5], vec![len]]
}

/// Every total is the last element of its segment in a scan, for an operator that does not commute too.
#[test]
fn totals_of_segments() {
    for device in everywhere() {
        let reduce = GpuReduce::new(&device);
        for len in [0, 1, 4097, sized(100_001, 9000)] {
            let input = values::<u32>(len as u64, len);
            // Not at the start of its buffer.
            let shifted: Vec<u32> = [9].iter().chain(&input).copied().collect();
            let uploaded = device.upload(&shifted).expect("upload").slice(1..).expect("a slice");
            for (case, offsets) in offsets(len).into_iter().enumerate() {
                let what = format!("{len}, offsets {case}, {device}");
                let wanted: Vec<u32> = offsets
                    .windows(2)
                    .map(|ends| {
                        let (start, end) = (ends[0] as usize, (ends[1] as usize).min(len));
                        input[start..end.max(start)].iter().fold(0u32, |sum, &value| sum.wrapping_add(value))
                    })
                    .collect();
                let offsets = device.upload(&offsets).expect("upload");
                let found: GpuBuffer<u32> = reduce.reduce_segments(&uploaded, &offsets).expect(&what);
                assert_bits(&found.to_vec().expect("download"), &wanted, &what);
            }
        }
        let maps: Vec<[u32; 2]> = values::<u32>(5, 1800).chunks(2).map(|pair| [pair[0], pair[1]]).collect();
        let ends = [0u32, 7, 7, 300, 899];
        let (input, offsets) = (device.upload(&maps).expect("upload"), device.upload(&ends).expect("upload"));
        let chains: GpuBuffer<[u32; 2]> =
            GpuReduce::with_monoid(&device, Affine).reduce_segments(&input, &offsets).expect("totals");
        let wanted = ends.windows(2).map(|ends| {
            let segment = &maps[ends[0] as usize..ends[1] as usize];
            segment.iter().fold([1, 0], |chain, map| Affine.combine(chain, *map))
        });
        assert_eq!(chains.to_vec().expect("download"), wanted.collect::<Vec<_>>(), "{device}");
    }
}

#[test]
fn totals_of_rows() {
    for device in everywhere() {
        let reduce = GpuReduce::new(&device);
        for (rows, len) in [(0, 5), (1, 12), (1000, 12), (70, 11), (3, 20_000)] {
            let input = values::<f32>(len as u64, rows * len);
            // What a scan of the row alone ends with.
            let total = |row: &[f32]| {
                let mut row = row.to_vec();
                order::scan(&Sum, &mut row);
                row[len - 1]
            };
            let wanted: Vec<f32> = input.chunks(len).map(total).collect();
            let input = device.upload(&input).expect("upload");
            let found: GpuBuffer<f32> = reduce.reduce_rows(&input, len).expect("totals");
            assert_bits(
                &found.to_vec().expect("download"),
                &wanted,
                format_args!("{rows} of {len}, {device}"),
            );
        }
        let input = device.upload(&[1u32; 10]).expect("upload");
        let error = reduce.reduce_rows::<u32, u32>(&input, 3).map(|_| ());
        assert!(matches!(error, Err(Error::Length { expected: 9, found: 10, .. })), "{error:?}");
        let error = reduce.reduce_rows::<u32, u32>(&input, 0).map(|_| ());
        assert!(matches!(error, Err(Error::Length { expected: 0, found: 10, .. })), "{error:?}");
    }
}

/// Segments across pieces of the input, recorded; and what is refused.
#[test]
fn totals_in_pieces() {
    let device = own(Device::request().max_binding(1 << 17));
    let len = 100_000u32;
    let input = device.upload(&(0..len).collect::<Vec<_>>()).expect("upload");
    let ends: Vec<u32> = [0].into_iter().chain((5..len).step_by(13)).chain([len]).collect();
    let offsets = device.upload(&ends).expect("upload");
    let output = device.zeros::<u32>(ends.len() - 1).expect("a buffer");
    let reduce = GpuReduce::new(&device);
    record(&device, |encoder| reduce.encode_segments(encoder, &input, &offsets, &output)).expect("totals");
    let wanted: Vec<u32> = ends.windows(2).map(|ends| (ends[0]..ends[1]).sum()).collect();
    assert_eq!(output.to_vec().expect("download"), wanted);

    let error = reduce.reduce_segments::<u32, u32>(&input, &offsets.slice(..0).expect("a slice")).map(|_| ());
    assert!(matches!(error, Err(Error::Invalid { what: "the offsets of segments", .. })), "{error:?}");
    let error = reduce.reduce_segments_into(&input, &offsets, &output.slice(1..).expect("a slice"));
    assert!(matches!(error, Err(Error::Length { .. })), "{error:?}");
    let error = reduce.reduce_segments_into(&input, &offsets, &offsets.slice(1..).expect("a slice"));
    assert!(matches!(error, Err(Error::Invalid { .. })), "{error:?}");
    let error = reduce.reduce_segments_into(&input, &output, &input.slice(1..output.len()).expect("a slice"));
    assert!(matches!(error, Err(Error::Overlap { .. })), "{error:?}");
}
