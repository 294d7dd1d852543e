//! Load balancing against one item, and one task, after the other.

mod common;

use common::{checker::record, everywhere, inputs::hashes, own, records, sized};
use gpuscan::{Device, Error, GpuBalance, GpuScan};

/// Every item's segment and rank, and those of items behind the last segment.
fn expected(lengths: &[u32], items: usize) -> (Vec<u32>, Vec<u32>) {
    let each = lengths.iter().enumerate();
    let places = each.flat_map(|(segment, &length)| (0..length).map(move |rank| (segment as u32, rank)));
    let behind = (0..).map(|rank| (lengths.len() as u32, rank));
    places.chain(behind).take(items).unzip()
}

fn ends(lengths: &[u32]) -> Vec<u32> {
    lengths
        .iter()
        .scan(0, |end, length| {
            *end += length;
            Some(*end)
        })
        .collect()
}

/// Lengths of all kinds: even, a giant among dwarves, mostly empty, all empty, none, one.
fn kinds() -> Vec<(&'static str, Vec<u32>)> {
    let len = sized(20_000, 3000);
    let random = |most: u64| hashes(1).map(move |bits| (bits % most) as u32).take(len);
    let sparse =
        hashes(2).take(3 * len).map(|bits| if bits % 50 == 0 { (bits >> 32) as u32 % 90 } else { 0 });
    let mut giant = vec![1; 5000];
    giant[777] = 30_000;
    let mut deserts = vec![0; 10_000];
    (deserts[3000], deserts[3001], deserts[9000]) = (2047, 2, 5000);
    vec![
        ("ones", vec![1; len]),
        ("random", random(7).collect()),
        ("sparse", sparse.collect()),
        ("giant", giant),
        ("deserts", deserts),
        ("one", vec![10_001]),
        ("nothing", vec![0; 100]),
        ("none", Vec::new()),
    ]
}

#[test]
fn every_item_finds_its_segment() {
    for (kind, lengths) in kinds() {
        let total: u32 = lengths.iter().sum();
        for items in [total as usize, total as usize + 3000, total as usize / 2] {
            let wanted = expected(&lengths, items);
            for device in everywhere() {
                let balance = GpuBalance::new(&device);
                let what = format!("{items} of {kind} on {device}");
                let lengths = device.upload(&lengths).expect("upload");
                let (segments, ranks) = balance.search_lengths(&lengths, items).expect("a search");
                assert!(segments.to_vec().expect("download") == wanted.0, "segments of {what}");
                assert!(ranks.to_vec().expect("download") == wanted.1, "ranks of {what}");
            }
        }
    }
}

/// CSR offsets as they are, and places at any element: what lies around the results stays as it is.
#[test]
fn ranges_that_begin_anywhere() {
    let lengths: Vec<u32> = hashes(3).take(1000).map(|bits| (bits % 9) as u32).collect();
    let mut offsets = vec![0];
    offsets.extend(ends(&lengths));
    let items = offsets[1000] as usize;
    let wanted = expected(&lengths, items);
    for device in everywhere() {
        let balance = GpuBalance::new(&device);
        let offsets = device.upload(&offsets).expect("upload");
        let ends = offsets.slice(1..).expect("a slice");
        let all = [3, 70].map(|before| (before, device.upload(&vec![9u32; items + 100]).expect("upload")));
        let [segments, ranks] = [0, 1].map(|i| all[i].1.slice(all[i].0..all[i].0 + items).expect("a slice"));
        for recorded in [false, true] {
            segments.write(&vec![7; items]).expect("a write");
            ranks.write(&vec![7; items]).expect("a write");
            match recorded && records(&device) {
                true => record(&device, |encoder| balance.encode_search(encoder, &ends, &segments, &ranks)),
                false => balance.search_into(&ends, &segments, &ranks),
            }
            .expect("a search");
            for ((before, memory), wanted) in all.iter().zip([&wanted.0, &wanted.1]) {
                let found = memory.to_vec().expect("download");
                assert!(found[..*before].iter().chain(&found[before + items..]).all(|&word| word == 9));
                assert!(found[*before..before + items] == wanted[..], "{device}");
            }
        }
    }
}

/// Bindings and grids that hold a few tiles.
#[test]
fn devices_with_little_room() {
    let lengths: Vec<u32> = hashes(4).take(2000).map(|bits| (bits % 41) as u32).collect();
    let items = lengths.iter().sum::<u32>() as usize;
    let wanted = expected(&lengths, items);
    for request in [Device::request().max_binding(20 << 10), Device::request().max_groups(2)] {
        let device = own(request);
        let lengths = device.upload(&lengths).expect("upload");
        let (segments, ranks) = GpuBalance::new(&device).search_lengths(&lengths, items).expect("a search");
        assert!(segments.to_vec().expect("download") == wanted.0);
        assert!(ranks.to_vec().expect("download") == wanted.1);
    }
    let device = own(Device::request().max_binding(20 << 10));
    let ends = device.zeros::<u32>(5121).expect("a buffer");
    let error = GpuBalance::new(&device).search(&ends, 1).expect_err("more than 20 KiB");
    assert!(matches!(error, Error::TooLarge { expected: 20_480, found: 20_484, .. }), "{error:?}");
}

/// A worker's load differs from an even share by less than the longest task, and no task is lost.
#[test]
fn loads_are_even() {
    for (kind, lengths) in kinds() {
        let ends = ends(&lengths);
        let total = u64::from(ends.last().copied().unwrap_or(0));
        let longest = u64::from(lengths.iter().copied().max().unwrap_or(0));
        for workers in [1, 2, 3, 7, 64, 1000] {
            let mut first: Option<Vec<u32>> = None;
            for device in everywhere() {
                let what = format!("{kind} for {workers} on {device}");
                let uploaded = device.upload(&lengths).expect("upload");
                let split = GpuBalance::new(&device).split_lengths(&uploaded, workers).expect("a split");
                let bounds = split.to_vec().expect("download");
                assert_eq!((bounds.len(), bounds[0]), (workers + 1, 0), "{what}");
                assert_eq!(bounds[workers] as usize, lengths.len(), "{what}");
                assert!(bounds.is_sorted(), "{what}");
                for worker in bounds.windows(2) {
                    let tasks = &lengths[worker[0] as usize..worker[1] as usize];
                    let load: u64 = tasks.iter().map(|&length| u64::from(length)).sum();
                    let off = (load * workers as u64).abs_diff(total);
                    assert!(off < longest * workers as u64 || total == 0, "{what}: a load of {load}");
                }
                assert_eq!(*first.get_or_insert(bounds.clone()), bounds, "{what}");
            }
        }
    }
}

/// Totals near 2^32 and as many workers as there may be: no product overflows.
#[test]
fn loads_of_32_bits() {
    let lengths = [1_500_000_000u32, 7, 0, 1_400_000_000, 1_394_967_288];
    for device in everywhere() {
        let ends = device.upload(&ends(&lengths)).expect("upload");
        let balance = GpuBalance::new(&device);
        let two = balance.split(&ends, 2).expect("a split");
        assert_eq!(two.to_vec().expect("download"), [0, 4, 5]);
        let many = balance.split(&ends, 65_535).expect("a split").to_vec().expect("download");
        let total = u64::from(u32::MAX);
        let share = |worker: u64| (worker * total).div_ceil(65_535);
        let prefix: Vec<u64> =
            (0..=5).map(|i| lengths[..i].iter().map(|&length| u64::from(length)).sum()).collect();
        for worker in 0..65_535 {
            let wanted = prefix.iter().position(|&before| before >= share(worker)).expect("within the total");
            assert_eq!(many[worker as usize] as usize, wanted, "{worker} on {device}");
        }
        // A recorded split, between neighbours that stay.
        if records(&device) {
            let memory = device.upload(&[9u32; 7]).expect("upload");
            let bounds = memory.slice(3..6).expect("a slice");
            record(&device, |encoder| balance.encode_split(encoder, &ends, &bounds)).expect("a split");
            assert_eq!(memory.to_vec().expect("download"), [9, 9, 9, 0, 4, 5, 9]);
        }
    }
}

#[test]
fn what_cannot_be() {
    for device in everywhere() {
        let balance = GpuBalance::new(&device);
        let said =
            |offsets: &[u32]| balance.ends_of(offsets).map(|_| ()).expect_err("bad offsets").to_string();
        assert_eq!(said(&[]), "offsets of segments: expected at least one, found none");
        assert_eq!(said(&[1, 2]), "offsets of segments: expected 0 first, found 1");
        let wanted = "offsets of segments: expected offsets that do not decrease, found 5 at 1, then 3";
        assert_eq!(said(&[0, 5, 3]), wanted);

        let ends = balance.ends_of(&[0, 2, 2, 5]).expect("offsets");
        assert_eq!(ends.to_vec().expect("download"), [2, 2, 5]);
        let buffers = [5, 4, 5].map(|len| device.upload(&vec![7u32; len]).expect("upload"));
        let error = balance.search_into(&ends, &buffers[0], &buffers[1]);
        assert_eq!(error, Err(Error::Length { what: "the ranks", expected: 5, found: 4 }));
        let error = balance.search_into(&ends, &buffers[0], &buffers[0]);
        assert!(matches!(error, Err(Error::Invalid { what: "the ranks", .. })), "{error:?}");
        let error = balance.search_into(&buffers[0], &buffers[0], &buffers[2]);
        assert!(matches!(error, Err(Error::Invalid { what: "the segments", .. })), "{error:?}");
        assert_eq!(
            balance.split(&ends, 0).expect_err("no workers").to_string(),
            "the workers of a split: expected at least 1, found 0"
        );
        let error = balance.split(&ends, 65_536).expect_err("too many");
        assert!(matches!(error, Error::TooLarge { expected: 65_535, found: 65_536, .. }), "{error:?}");
        let stray = Device::cpu().upload(&[1u32]).expect("upload");
        assert!(matches!(balance.search(&stray, 1), Err(Error::WrongDevice { what: "the ends", .. })));
        assert_eq!(buffers[0].to_vec().expect("download"), [7; 5]);
    }
}

/// Ends that decrease are the caller's fault, but nothing hangs and nothing else is touched.
#[test]
fn ends_that_decrease_do_no_harm() {
    let ends: Vec<u32> = hashes(5).take(5000).map(|bits| bits as u32 % 10_000).collect();
    for device in everywhere().filter(|device| !device.is_cpu()) {
        let ends = device.upload(&ends).expect("upload");
        let (segments, _) = GpuBalance::new(&device).search(&ends, 10_000).expect("a search");
        assert!(segments.to_vec().expect("download").iter().all(|&segment| segment <= 5000));
    }
}

#[test]
fn a_warm_call_makes_only_its_results() {
    let device = own(Device::request());
    let balance = GpuBalance::new(&device);
    let ends =
        GpuScan::new(&device).inclusive(&device.upload(&[3u32; 5000]).expect("upload")).expect("a scan");
    let calls = || {
        balance.search(&ends, 15_000).expect("a search");
        balance.split(&ends, 10).expect("a split");
    };
    calls();
    let before = device.counters();
    calls();
    let after = device.counters();
    assert_eq!(after.buffers, before.buffers + 3);
    assert_eq!((after.pipelines, after.scratch), (before.pipelines, before.scratch));
    assert_eq!(after.parameters, before.parameters);
}
