//! Segmented scans against a sequential fold of each segment.

mod common;

use common::{
    checker::record,
    everywhere,
    inputs::{hash, hashes, values},
    oracle::assert_bits,
    own, records, sized,
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
    for device in everywhere() {
        let data = device.upload(&[1u32, 2, 3, 4, 5, 6]).expect("upload");
        let offsets = device.upload(&[0u32, 2, 2, 5]).expect("upload");
        let scan = GpuScan::new(&device);
        match records(&device) {
            true => record(&device, |encoder| scan.of(&data).by_offsets(&offsets).encode(encoder, &data)),
            false => scan.of(&data).by_offsets(&offsets).run_into(&data),
        }
        .expect("a scan");
        assert_eq!(data.to_vec().expect("download"), [1, 3, 3, 7, 12, 6]);
    }
}

/// Some offsets in order, every third segment empty, and where results go: in another order, apart or side by side.
fn scattered(len: usize, segments: usize) -> (Vec<u32>, Vec<u32>, usize) {
    let mut offsets: Vec<u32> =
        hashes(len as u64).take(segments).map(|bits| (bits % (len as u64 + 1)) as u32).collect();
    offsets.sort_unstable();
    (2..segments).step_by(3).for_each(|s| offsets[s] = offsets[s - 1]);
    let mut starts = vec![0; segments];
    let mut end = 0;
    // From the last one on.
    for s in (0..segments).rev() {
        let next = offsets.get(s + 1).copied().unwrap_or(len as u32);
        starts[s] = end;
        end += next - offsets[s] + (s % 4) as u32;
    }
    (offsets, starts, end as usize)
}

#[test]
fn results_at_other_offsets() {
    for device in everywhere() {
        for (len, segments) in [(0, 3), (1, 1), (700, 40), (sized(20_001, 9000), 3000), (9000, 2)] {
            let input = values::<u32>(len as u64, len);
            let (offsets, starts, room) = scattered(len, segments);
            let upload = |words: &[u32]| {
                let shifted: Vec<u32> = [9, 9, 9].iter().chain(words).copied().collect();
                device.upload(&shifted).expect("upload").slice(3..).expect("a slice")
            };
            let (data, by, to) = (upload(&input), upload(&offsets), upload(&starts));
            for exclusive in [false, true] {
                // One that is too short, too: what would lie behind it is left out.
                for room in [room, room * 2 / 3] {
                    let mut wanted = vec![77u32; room + 4];
                    for (s, &start) in offsets.iter().enumerate() {
                        let end = offsets.get(s + 1).map_or(len, |&end| end as usize);
                        let segment = &input[start as usize..end];
                        let heads: Vec<bool> = (0..segment.len()).map(|i| i == 0).collect();
                        let sums = self::wanted(segment, &heads, exclusive);
                        for (place, sum) in (starts[s] as usize..room).zip(sums) {
                            wanted[place + 1] = sum;
                        }
                    }
                    let memory = device.upload(&vec![77u32; room + 4]).expect("upload");
                    let output = memory.slice(1..room + 1).expect("a slice");
                    let scan = GpuScan::new(&device);
                    let scanning = scan.of(&data).by_offsets(&by).to_offsets(&to);
                    let scanning = if exclusive { scanning.exclusive() } else { scanning };
                    scanning.run_into(&output).expect("a scan");
                    let what = format!("{segments} of {len} to {room}, exclusive: {exclusive}, {device}");
                    assert_bits(&memory.to_vec().expect("download"), &wanted, what);
                }
            }
        }
    }
}

/// cccl#8614, with results of two words; and results far behind all numbers, which do not come round.
#[test]
fn results_with_gaps() {
    for device in everywhere() {
        let input = device.upload(&[1u64, 2, 3, 4, 5, 6, 7, 8]).expect("upload");
        let offsets = device.upload(&[0u32, 3, 5]).expect("upload");
        let scan = GpuScan::new(&device);
        for (starts, wanted) in [
            ([0, 4, 7], [0, 1, 3, 9, 0, 4, 9, 0, 6, 13]),
            ([1, u32::MAX - 1, u32::MAX], [9, 0, 1, 3, 9, 9, 9, 9, 9, 9]),
        ] {
            let starts = device.upload(&starts).expect("upload");
            let output = device.upload(&[9u64; 10]).expect("upload");
            let scanning = scan.of(&input).exclusive().by_offsets(&offsets).to_offsets(&starts);
            scanning.run_into(&output).expect("a scan");
            assert_eq!(output.to_vec().expect("download"), wanted, "{device}");
        }
    }
}

#[test]
fn offsets_that_are_wrong() {
    for device in everywhere() {
        let input = device.upload(&[1u32; 8]).expect("upload");
        let output = device.zeros::<u32>(10).expect("a buffer");
        let words = |words: &[u32]| device.upload(words).expect("upload");
        let scan = GpuScan::new(&device);
        let check = |offsets: &[u32], starts: &[u32], room: usize| {
            let scanning = scan.of(&input).by_offsets(&words(offsets)).to_offsets(&words(starts));
            scanning.check_offsets(room).map_err(|error| error.to_string())
        };
        assert_eq!(check(&[0, 3, 3, 5, 8], &[0, 4, 4, 7, 99], 10), Ok(()));
        for (offsets, starts, room, what) in [
            ([0, 5, 3], [0, 4, 7], 10, "do not decrease, found 5 before 3 at 1"),
            ([0, 3, 9], [0, 4, 7], 10, "numbers up to 8, found 9"),
            ([0, 3, 5], [0, 4, 7], 9, "results up to 9, found 7..10"),
            ([0, 3, 5], [0, 2, 7], 10, "apart, found 0..3 and 2..4"),
        ] {
            let error = check(&offsets, &starts, room).expect_err(what);
            assert!(error.contains(what), "{error}");
        }
        let (three, two) = (words(&[0, 3, 5]), words(&[0, 4]));
        let error = scan.of(&input).by_offsets(&three).to_offsets(&two).run_into(&output);
        assert!(matches!(error, Err(Error::Length { expected: 3, found: 2, .. })), "{error:?}");
        let error = scan.of(&input).by_offsets(&three).to_offsets(&three).run_into(&input);
        assert!(matches!(error, Err(Error::Overlap { .. })), "{error:?}");
        let error = scan.of(&input).by_offsets(&three).to_offsets(&three).run::<u32>();
        assert!(matches!(error, Err(Error::Combination { .. })), "{error:?}");
        let error = scan.of(&input).by_flags(&input).to_offsets(&three).run_into(&output);
        assert!(matches!(error, Err(Error::Combination { .. })), "{error:?}");
        assert_eq!(output.to_vec().expect("download"), [0; 10]);
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
    match records(&device) {
        true => record(&device, |encoder| reduce.encode_segments(encoder, &input, &offsets, &output)),
        false => reduce.reduce_segments_into(&input, &offsets, &output),
    }
    .expect("totals");
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
