//! Radix sorts: every entry point, key type and choice, against a stable sort on the host.

mod common;

use common::{
    checker::record,
    devices, everywhere,
    inputs::{Sample, hash, hashes, values},
    oracle::assert_bits,
    own, records, repetitions, sized, small,
};
use gpuscan::{Counters, Device, Element, Error, GpuBuffer, GpuRadixSort, SortKey};

/// A key type, and its order as its documentation has it, in words of the standard library.
trait Key: SortKey + Sample {
    /// A tuple that the standard library orders like keys of this type.
    fn place(self) -> (bool, i64, i64);
}

impl Key for u32 {
    fn place(self) -> (bool, i64, i64) {
        (false, self.into(), 0)
    }
}

impl Key for i32 {
    fn place(self) -> (bool, i64, i64) {
        (false, self.into(), 0)
    }
}

impl Key for f32 {
    /// NaNs last, by their bits; the others as numbers, whose order is that of their magnitudes' bits.
    fn place(self) -> (bool, i64, i64) {
        let magnitude = i64::from(self.abs().to_bits());
        match self.is_nan() {
            true => (true, 0, self.to_bits().into()),
            false => (false, if self < 0.0 { -magnitude } else { magnitude }, 0),
        }
    }
}

/// The indices of the keys in order.
fn order<K: Key>(keys: &[K], descending: bool) -> Vec<u32> {
    let mut indices: Vec<u32> = (0..keys.len() as u32).collect();
    indices.sort_by(|&a, &b| {
        let order = keys[a as usize].place().cmp(&keys[b as usize].place());
        if descending { order.reverse() } else { order }
    });
    indices
}

fn gathered<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&i| values[i as usize]).collect()
}

fn bits<T: Element>(buffer: &GpuBuffer<T>) -> Vec<u32> {
    bytemuck::cast_slice(&buffer.to_vec().expect("download")).to_vec()
}

/// Checks all there is of a sort of `keys`, on one device.
#[track_caller]
fn check<K: Key>(device: &Device, keys: &[K]) {
    let values: Vec<u32> = hashes(7).take(keys.len()).map(|x| x as u32).collect();
    let input = device.upload(keys).expect("upload");
    let payload = device.upload(&values).expect("upload");
    for descending in [false, true] {
        let order = order(keys, descending);
        let sorter = GpuRadixSort::new(device);
        let sorter = if descending { sorter.descending() } else { sorter };
        let what = format!("{} {}, descending: {descending}, on {device}", keys.len(), K::NAME);
        let wanted_keys: Vec<u32> = bytemuck::cast_slice(&gathered(keys, &order)).to_vec();
        let wanted_values = gathered(&values, &order);

        let sorted = sorter.sort(&input).expect(&what);
        assert_bits(&bits(&sorted), &wanted_keys, format_args!("keys of {what}"));
        let (sorted, moved) = sorter.sort_pairs(&input, &payload).expect(&what);
        assert_bits(&bits(&sorted), &wanted_keys, format_args!("keys of pairs of {what}"));
        assert_bits(&bits(&moved), &wanted_values, format_args!("values of pairs of {what}"));
        let indices = sorter.argsort(&input).expect(&what);
        assert_bits(&bits(&indices), &order, format_args!("indices of {what}"));

        // Inputs are as they were.
        assert_bits(&bits(&input), bytemuck::cast_slice(keys), format_args!("the input of {what}"));
        assert_bits(&bits(&payload), &values, format_args!("the values of {what}"));

        let (own_keys, own_values) =
            (device.upload(keys).expect("upload"), device.upload(&values).expect("upload"));
        sorter.sort_pairs_in_place(&own_keys, &own_values).expect(&what);
        assert_bits(&bits(&own_keys), &wanted_keys, format_args!("keys in place of {what}"));
        assert_bits(&bits(&own_values), &wanted_values, format_args!("values in place of {what}"));
        own_keys.write(keys).expect("write");
        sorter.sort_in_place(&own_keys).expect(&what);
        assert_bits(&bits(&own_keys), &wanted_keys, format_args!("keys alone in place of {what}"));
    }
}

/// Around a lane, a subgroup, a digit's values, and tiles of 2,816 and 3,584 keys; and the cases that were
/// wrong elsewhere: VkRadixSort#7 and vulkan_radix_sort#7 (1, 256, 257, 4,095, 100,000), cub#43.
const SIZES: [usize; 20] = [
    0, 1, 2, 3, 31, 33, 255, 256, 257, 1792, 1793, 2815, 2816, 2817, 3583, 3584, 3585, 4095, 20_001, 100_000,
];
/// A slow driver checks only these.
const FEW: [usize; 8] = [0, 1, 2, 257, 2817, 3584, 3585, 9000];

fn conforms<K: Key>() {
    for device in everywhere() {
        for &len in if small() { &FEW[..] } else { &SIZES[..] } {
            check(&device, &values::<K>(len as u64, len));
        }
    }
}

#[test]
fn unsigned_integers() {
    conforms::<u32>();
}

#[test]
fn signed_integers() {
    conforms::<i32>();
}

#[test]
fn floats() {
    conforms::<f32>();
}

/// All equal, sorted, reversed, two values, few values, one that is out of order at the end.
#[test]
fn inputs_of_every_shape() {
    let len = sized(30_000u32, 8000);
    type Shape = (&'static str, fn(u32, u32) -> u32);
    let shapes: [Shape; 8] = [
        ("all zero", |_, _| 0),
        ("all ones", |_, _| u32::MAX),
        ("sorted", |i, _| i),
        ("sorted, wide", |i, _| i << 14),
        ("reversed", |i, len| len - i),
        ("two values", |i, _| if hash(i.into()) & 1 == 0 { 3 } else { 0x8000_0003 }),
        ("one digit each", |i, _| 1 << (hash(i.into()) % 32)),
        ("the last is least", |i, len| len - 1 - i + u32::from(i < len - 1) * len),
    ];
    for device in everywhere() {
        for (name, shape) in shapes {
            println!("{name}");
            check(&device, &(0..len).map(|i| shape(i, len)).collect::<Vec<_>>());
        }
    }
}

/// cub#218 and oneDPL#2713: zeros of both signs are equal. wgpu_sort's README. NaNs last, by their bits.
#[test]
fn zeros_infinities_and_nans() {
    let nan = |bits| f32::from_bits(bits);
    let special = [
        0.0,
        -0.0,
        f32::NAN,
        -f32::NAN,
        nan(0x7f80_0001),
        nan(0xffff_ffff),
        nan(0x7fff_ffff),
        nan(0xff80_0001),
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MIN_POSITIVE,
        -1e-45,
        1e-45,
        f32::MAX,
        f32::MIN,
        1.0,
        -1.0,
    ];
    for device in everywhere() {
        let sort = GpuRadixSort::new(&device);
        let keys = device.upload(&[0.0, -0.0, 0.0, -0.0f32]).expect("upload");
        let values = device.upload(&[0u32, 1, 2, 3]).expect("upload");
        let (sorted, values) = sort.sort_pairs(&keys, &values).expect("a sort");
        assert_eq!(bits(&values), [0, 1, 2, 3], "{device}");
        assert_eq!(bits(&sorted), bits(&keys), "{device}");

        let three = device.upload(&[1.0, -1.0, 0.5f32]).expect("upload");
        assert_eq!(sort.sort(&three).expect("a sort").to_vec().expect("download"), [-1.0, 0.5, 1.0]);

        let mixed: Vec<f32> = hashes(3).take(6000).map(|x| special[x as usize % special.len()]).collect();
        check(&device, &mixed);
    }
}

/// Every pattern of the upper 16 bits of a float.
#[test]
fn floats_of_every_magnitude() {
    let keys: Vec<f32> = (0..1u32 << 16).map(|i| f32::from_bits(hash(i.into()) as u32 | (i << 16))).collect();
    for tested in devices() {
        let order = order(&keys, false);
        let input = tested.device.upload(&keys).expect("upload");
        let found = GpuRadixSort::new(&tested.device).argsort(&input).expect("a sort");
        assert_bits(&bits(&found), &order, tested.name);
    }
}

/// playcanvas#8276, learn-wgpu#659, cuneus#180, candle#2361 and #2570, AcceleratedKernels.jl#10's input.
#[test]
fn cases_that_were_wrong_elsewhere() {
    for tested in devices() {
        let device = &tested.device;
        let reversed: Vec<u32> = (0..11_520).rev().collect();
        check(device, &reversed);
        check(device, &hashes(1).take(4097).map(|x| x as u32 | 1 << 16).collect::<Vec<_>>());
        let zeros = device.zeros::<f32>(32_000).expect("a buffer");
        let found = GpuRadixSort::new(device).argsort(&zeros).expect("a sort");
        assert_eq!(bits(&found), (0..32_000).collect::<Vec<u32>>());
        let normal: Vec<f32> = hashes(2).take(2048).map(common::inputs::normal).collect();
        check(device, &normal);
        for len in sized(&[1_001_000, 1_025_024, 1 << 20][..], &[65_537]) {
            let keys = values::<u32>(*len as u64, *len);
            let mut wanted = keys.clone();
            wanted.sort_unstable();
            let input = device.upload(&keys).expect("upload");
            let found = GpuRadixSort::new(device).sort(&input).expect("a sort");
            assert_bits(&bits(&found), &wanted, format_args!("{len} on {device}"));
        }
    }
}

/// Ranges of bits: digits that begin anywhere, are short, or are none at all; in place and not.
#[test]
fn ranges_of_bits() {
    let keys = values::<u32>(5, sized(9000, 4000));
    for device in everywhere() {
        let input = device.upload(&keys).expect("upload");
        for range in [0..32, 0..8, 3..11, 5..14, 24..32, 31..32, 0..1, 7..7, 0..17, 13..32, 32..32] {
            for descending in [false, true] {
                let sort = GpuRadixSort::new(&device).bits(range.clone());
                let sort = if descending { sort.descending() } else { sort };
                let mask = ((1u64 << (range.end - range.start)) - 1) as u32;
                let part = |key: u32| key.checked_shr(range.start).unwrap_or(0) & mask;
                let mut wanted = keys.clone();
                wanted.sort_by_key(|&key| if descending { !part(key) } else { part(key) });
                let what = format!("bits {range:?}, descending: {descending}, on {device}");
                let found = sort.sort(&input).expect(&what);
                assert_bits(&bits(&found), &wanted, &what);
                let own = device.upload(&keys).expect("upload");
                sort.sort_in_place(&own).expect(&what);
                assert_bits(&bits(&own), &wanted, format_args!("{what}, in place"));
            }
        }
        // Bits of a signed key's code: the sign alone.
        let signed = device.upload(&[5i32, -1, 3, -7, 0]).expect("upload");
        let found = GpuRadixSort::new(&device).bits(31..).sort(&signed).expect("a sort");
        assert_eq!(found.to_vec().expect("download"), [-1, -7, 5, 3, 0]);
    }
}

/// Ranges of larger buffers at odd offsets, several of them in one buffer; nothing around them is touched.
#[test]
fn ranges_anywhere_in_buffers() {
    let len = sized(8000, 3700);
    let keys = values::<i32>(1, len);
    let order = order(&keys, false);
    let wanted: Vec<i32> = gathered(&keys, &order);
    for device in everywhere() {
        for (before, after) in [(1, 1), (3, 0), (64, 5), (71, 100)] {
            for range in [0..32, 0..8, 8..32] {
                let sort = GpuRadixSort::new(&device).bits(range.clone());
                let mut right = keys.clone();
                right.sort_by_key(|&key| {
                    ((key as u32 ^ 1 << 31) >> range.start) & ((1u64 << (range.end - range.start)) - 1) as u32
                });
                if range == (0..32) {
                    assert_eq!(right, wanted);
                }
                // Input, result: in one buffer behind each other.
                let mut contents = vec![77i32; before + len + after + len + after];
                let (source, target) =
                    (before..before + len, before + len + after..before + len + after + len);
                contents[source.clone()].copy_from_slice(&keys);
                let buffer = device.upload(&contents).expect("upload");
                let slice = |range| buffer.slice(range).expect("a slice");
                sort.sort_into(&slice(source.clone()), &slice(target.clone())).expect("a sort");
                contents[target].copy_from_slice(&right);
                let what = format!("{before} before and {after} after, bits {range:?}, on {device}");
                assert_eq!(buffer.to_vec().expect("download"), contents, "{what}");
                sort.sort_in_place(&slice(source.clone())).expect("a sort");
                contents[source].copy_from_slice(&right);
                assert_eq!(buffer.to_vec().expect("download"), contents, "{what}, in place");
            }
        }
    }
}

/// As many as a buffer on the device says, but no more than there are.
#[test]
fn counts_on_the_device() {
    let len = sized(10_000, 5000);
    let keys = values::<u32>(9, len);
    for device in everywhere() {
        let counts = device.upload(&[0u32, 1, 3584, 4999, len as u32, u32::MAX]).expect("upload");
        for (i, &count) in counts.to_vec().expect("download").iter().enumerate() {
            let sort = GpuRadixSort::new(&device).count(&counts.slice(i..=i).expect("a slice"));
            let count = (count as usize).min(len);
            let mut wanted = keys.clone();
            wanted[..count].sort_unstable();
            let data = device.upload(&keys).expect("upload");
            sort.sort_in_place(&data).expect("a sort");
            assert_bits(&bits(&data), &wanted, format_args!("{count} of {len} in place on {device}"));
            wanted[count..].fill(0);
            let input = device.upload(&keys).expect("upload");
            let found = sort.sort(&input).expect("a sort");
            assert_bits(&bits(&found), &wanted, format_args!("{count} of {len} on {device}"));
            let mut wanted = order(&keys[..count], false);
            wanted.resize(len, 0);
            let found = sort.argsort(&input).expect("a sort");
            assert_bits(&bits(&found), &wanted, format_args!("indices of {count} of {len} on {device}"));
            // Segments, too: no element beyond the count is looked at.
            let offsets = device.upload(&[100u32, 2000]).expect("upload");
            let found = sort.segments(&offsets).sort(&input).expect("a sort");
            let mut wanted = keys.clone();
            for range in [0..100, 100..2000, 2000..len] {
                wanted[range.start.min(count)..range.end.min(count)].sort_unstable();
            }
            wanted[count..].fill(0);
            assert_bits(&bits(&found), &wanted, format_args!("segments of {count} of {len} on {device}"));
        }
    }
}

/// Many short segments, few long ones, empty ones, none at all; offsets with the total behind them or without.
#[test]
fn segments() {
    let len = sized(12_000u32, 5000);
    let keys = values::<f32>(11, len as usize);
    let values: Vec<u32> = hashes(12).take(len as usize).map(|x| x as u32).collect();
    let every = |step: usize| (0..len).step_by(step).collect::<Vec<u32>>();
    let kinds = [
        vec![],
        vec![0],
        vec![0, len],
        vec![5, 5, 5, 900, 900, len - 1],
        every(1),
        every(7),
        every(3000),
        [every(33), vec![len, len]].concat(),
        vec![len; 3],
    ];
    for device in everywhere() {
        let input = device.upload(&keys).expect("upload");
        let payload = device.upload(&values).expect("upload");
        for offsets in &kinds {
            for descending in [false, true] {
                let mut order: Vec<u32> = Vec::new();
                let mut bounds: Vec<u32> = [&[0], &offsets[..], &[len]].concat();
                bounds.dedup();
                for pair in bounds.windows(2) {
                    let segment = &keys[pair[0] as usize..pair[1] as usize];
                    order.extend(self::order(segment, descending).iter().map(|i| pair[0] + i));
                }
                let what = format!("{} segments, descending: {descending}, on {device}", offsets.len());
                let sort = GpuRadixSort::new(&device).segments(&device.upload(offsets).expect("upload"));
                let sort = if descending { sort.descending() } else { sort };
                assert_bits(&bits(&sort.argsort(&input).expect(&what)), &order, &what);
                let (sorted, moved) = sort.sort_pairs(&input, &payload).expect(&what);
                let wanted = gathered(&keys, &order);
                assert_bits(&bits(&sorted), bytemuck::cast_slice(&wanted), &what);
                assert_bits(&bits(&moved), &gathered(&values, &order), &what);
                let own = device.upload(&keys).expect("upload");
                sort.sort_in_place(&own).expect(&what);
                assert_bits(&bits(&own), bytemuck::cast_slice(&wanted), format_args!("{what}, in place"));
            }
        }
    }
}

/// More tiles than a row of the grid has workgroups, and than the largest grid of one row.
#[test]
fn grids_of_several_rows() {
    // At most 81 tiles, the shortest of which have 768 keys.
    let keys = values::<u32>(4, 60_000);
    let mut wanted = keys.clone();
    wanted.sort_unstable();
    for groups in [9, 12, 30] {
        for subgroups in [true, false] {
            let device = own(Device::request().subgroups(subgroups).max_groups(groups));
            let input = device.upload(&keys).expect("upload");
            let found = GpuRadixSort::new(&device).sort(&input).expect("a sort");
            assert_bits(&bits(&found), &wanted, format_args!("rows of {groups} workgroups"));
            let offsets = device.upload(&[0u32]).expect("upload");
            let few = input.slice(..groups as usize * 2000).expect("a slice");
            let found = GpuRadixSort::new(&device).segments(&offsets).sort(&few).expect("a sort");
            let mut wanted = keys[..groups as usize * 2000].to_vec();
            wanted.sort_unstable();
            assert_bits(&bits(&found), &wanted, format_args!("segments, rows of {groups} workgroups"));
        }
    }
}

/// A workgroup that looks in vain counts what it looks for, and the result is the same.
#[test]
fn rows_that_never_come_are_counted() {
    let keys = values::<f32>(8, sized(100_000, 20_000));
    let order = order(&keys, false);
    for (subgroups, patience) in [(true, 0), (false, 0), (true, 1), (false, 5), (true, 1 << 20)] {
        let device = own(Device::request().subgroups(subgroups).patience(patience));
        let input = device.upload(&keys).expect("upload");
        for run in 0..sized(5, 2) {
            let found = GpuRadixSort::new(&device).argsort(&input).expect("a sort");
            assert_bits(&bits(&found), &order, format_args!("run {run} with patience {patience}"));
        }
    }
}

/// AcceleratedKernels.jl#10: no run differs from any other.
/// Again and again, with other keys each time: where tiles wait for each other, chance has a say.
#[test]
fn runs_do_not_differ() {
    let most = sized(50_000, 8000);
    for tested in devices() {
        let sort = GpuRadixSort::new(&tested.device);
        let (input, output) = (tested.device.zeros::<u32>(most), tested.device.zeros::<u32>(most));
        let (input, output) = (input.expect("a buffer"), output.expect("a buffer"));
        for run in 0..repetitions(sized(30, 3)) {
            let len = most - hash(run as u64) as usize % most / 2;
            let mut keys = values::<u32>(run as u64, len);
            let (from, to) = (input.slice(..len).expect("a slice"), output.slice(..len).expect("a slice"));
            from.write(&keys).expect("upload");
            sort.sort_into(&from, &to).expect("a sort");
            keys.sort_unstable();
            assert_bits(&bits(&to), &keys, format_args!("run {run} {}", tested.name));
        }
    }
}

/// A warm call makes its results and nothing else, however it is asked for.
#[test]
fn a_warm_call_makes_only_its_result() {
    for subgroups in [true, false] {
        let device = own(Device::request().subgroups(subgroups));
        assert_eq!(device.counters(), Counters::default());
        let keys = device.upload(&values::<f32>(1, 9000)).expect("upload");
        let values = device.upload(&values::<u32>(2, 9000)).expect("upload");
        let (sorted, moved) =
            (device.zeros::<f32>(9000).expect("a buffer"), device.zeros::<u32>(9000).expect("a buffer"));
        let count = device.upload(&[8000u32]).expect("upload");
        let sort = GpuRadixSort::new(&device);
        let counted = sort.clone().count(&count);
        let segmented = sort.clone().segments(&count);
        let calls = || {
            sort.sort(&keys).expect("a sort");
            sort.sort_pairs(&keys, &values).expect("a sort");
            sort.argsort(&keys).expect("a sort");
            for sort in [&sort, &counted, &segmented] {
                match records(&device) {
                    true => record(&device, |encoder| {
                        sort.encode_sort(encoder, &keys, &sorted)?;
                        sort.encode_sort_pairs(encoder, &keys, &values, &sorted, &moved)?;
                        sort.encode_argsort(encoder, &keys, &moved)?;
                        sort.encode_sort(encoder, &sorted, &sorted)
                    }),
                    false => sort
                        .sort_into(&keys, &sorted)
                        .and_then(|()| sort.sort_pairs_into(&keys, &values, &sorted, &moved))
                        .and_then(|()| sort.argsort_into(&keys, &moved))
                        .and_then(|()| sort.sort_in_place(&sorted)),
                }
                .expect("sorts");
            }
        };
        calls();
        let before = device.counters();
        calls();
        let after = device.counters();
        assert_eq!(after.pipelines, before.pipelines);
        assert_eq!(after.scratch, before.scratch);
        assert_eq!(after.parameters, before.parameters);
        assert_eq!(after.buffers, before.buffers + 4);
    }
}

/// What is recorded sees what was recorded before it, and dirty scratch memory from other sorts and scans.
#[test]
fn recordings_follow_each_other() {
    for tested in devices() {
        let device = &tested.device;
        let keys = values::<u32>(1, 5000);
        let data = device.upload(&keys).expect("upload");
        let indices = device.zeros::<u32>(5000).expect("a buffer");
        let sums = device.zeros::<u32>(5000).expect("a buffer");
        let sort = GpuRadixSort::new(device);
        let scan = gpuscan::GpuScan::new(device);
        match records(device) {
            true => record(device, |encoder| {
                sort.clone().descending().encode_argsort(encoder, &data, &indices)?;
                sort.encode_sort(encoder, &data, &data)?;
                scan.encode_inclusive(encoder, &data, &sums)?;
                sort.encode_sort(encoder, &indices, &indices)
            }),
            false => sort
                .clone()
                .descending()
                .argsort_into(&data, &indices)
                .and_then(|()| sort.sort_in_place(&data))
                .and_then(|()| scan.inclusive_into(&data, &sums))
                .and_then(|()| sort.sort_in_place(&indices)),
        }
        .expect("sorts");
        let mut wanted = keys.clone();
        wanted.sort_unstable();
        assert_eq!(bits(&data), wanted, "{}", tested.name);
        assert_eq!(bits(&indices), (0..5000).collect::<Vec<u32>>(), "{}", tested.name);
        let mut sum = 0u32;
        wanted.iter_mut().for_each(|key| {
            sum = sum.wrapping_add(*key);
            *key = sum;
        });
        assert_eq!(bits(&sums), wanted, "{}", tested.name);
    }
}

/// Bad calls name what was expected and what was found, and touch nothing.
#[test]
fn errors() {
    for device in everywhere() {
        let sort = GpuRadixSort::new(&device);
        let keys = device.upload(&[3u32, 1, 2]).expect("upload");
        let two = device.upload(&[0u32, 0]).expect("upload");
        let length = |what, found| Error::Length { what, expected: 3, found };
        assert_eq!(sort.sort_into(&keys, &two), Err(length("the sorted keys", 2)));
        assert_eq!(sort.sort_pairs(&keys, &two).expect_err("short"), length("the values", 2));
        assert_eq!(sort.argsort_into(&keys, &two), Err(length("the sorted values", 2)));
        let error = sort.clone().bits(5..33).sort(&keys).expect_err("33 bits");
        assert_eq!(error, Error::Range { range: 5..33, unit: "bits of a key", len: 32 });
        let reversed = std::ops::Range { start: 9, end: 4 };
        let error = sort.clone().bits(reversed).sort(&keys).expect_err("a reversed range");
        assert_eq!(
            error,
            Error::Range { range: std::ops::Range { start: 9, end: 4 }, unit: "bits of a key", len: 32 }
        );
        let error = sort.clone().count(&two).sort(&keys).expect_err("two counts");
        assert_eq!(error, Error::Length { what: "the count", expected: 1, found: 2 });
        let (first, last) = (keys.slice(..2).expect("a slice"), keys.slice(1..).expect("a slice"));
        assert_eq!(sort.sort_into(&first, &last), Err(Error::Overlap { input: 0..8, output: 4..12 }));
        let elsewhere = Device::cpu().upload(&[1u32, 2, 3]).expect("upload");
        assert!(matches!(sort.sort(&elsewhere), Err(Error::WrongDevice { what: "the keys", .. })));
        let error = sort.clone().segments(&elsewhere).sort(&keys).expect_err("another device");
        assert!(matches!(error, Error::WrongDevice { what: "the segments' offsets", .. }));
        assert_eq!(bits(&keys), [3, 1, 2]);
    }
    let device = &devices()[0].device;
    let both = device.upload(&[3u32, 1, 2, 9, 8, 7]).expect("upload");
    let (keys, values) = (both.slice(..3).expect("a slice"), both.slice(3..).expect("a slice"));
    let error = GpuRadixSort::new(device).sort_pairs_in_place(&keys, &values).expect_err("too close");
    assert!(matches!(error, Error::Misaligned { found: 12, .. }), "{error:?}");
    assert_eq!(bits(&both), [3, 1, 2, 9, 8, 7]);

    let narrow = own(Device::request().max_binding(64 << 10));
    let keys = narrow.zeros::<u32>(20_000).expect("a buffer");
    let error = GpuRadixSort::new(&narrow).sort(&keys).expect_err("beyond a binding");
    assert!(matches!(error, Error::TooLarge { unit: "bytes", expected: 65_536, .. }), "{error:?}");
}

/// Two results in one buffer, far enough apart.
#[test]
fn pairs_in_one_buffer() {
    for tested in devices() {
        let mut contents = vec![5u32; 1024 + 700];
        let keys = values::<u32>(3, 700);
        contents[..700].copy_from_slice(&keys);
        contents[1024..].iter_mut().zip(0..).for_each(|(value, i)| *value = i);
        let both = tested.device.upload(&contents).expect("upload");
        let (first, second) = (both.slice(..700).expect("a slice"), both.slice(1024..).expect("a slice"));
        GpuRadixSort::new(&tested.device).sort_pairs_in_place(&first, &second).expect("a sort");
        let order = order(&keys, false);
        contents[..700].copy_from_slice(&gathered(&keys, &order));
        contents[1024..].copy_from_slice(&order);
        assert_eq!(bits(&both), contents, "{}", tested.name);
    }
}
