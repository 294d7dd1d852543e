//! Histograms against counting by exact arithmetic, on every device.

mod common;

use common::{checker::record, devices, everywhere, inputs::hashes, own, records, sized};
use gpuscan::{Counters, Device, Error, GpuBuffer, GpuHistogram, Sample};
use half::f16;

/// The bin of `x` by the definition `⌊(x − lower) · bins / (upper − lower)⌋`, in integers: all three numbers
/// are multiples of 2^-40 below 2^40.
fn exact_bin(x: f64, bins: u32, lower: f64, upper: f64) -> Option<usize> {
    let fixed = |x: f64| (x * (1u64 << 40) as f64) as i128;
    if !(lower <= x && x < upper) {
        return None;
    }
    let bin = (fixed(x) - fixed(lower)) * i128::from(bins) / (fixed(upper) - fixed(lower));
    Some(bin as usize)
}

fn exact_even(values: &[f64], bins: u32, lower: f64, upper: f64) -> Vec<u32> {
    let mut counts = vec![0; bins as usize];
    for bin in values.iter().filter_map(|&x| exact_bin(x, bins, lower, upper)) {
        counts[bin] += 1;
    }
    counts
}

/// Between edges, by looking at each of them.
fn exact_between(values: &[f64], edges: &[f64]) -> Vec<u32> {
    let mut counts = vec![0; edges.len() - 1];
    for x in values {
        if let Some(bin) = (0..counts.len()).rev().find(|&i| edges[i] <= *x && *x < edges[edges.len() - 1]) {
            counts[bin] += 1;
        }
    }
    counts
}

#[track_caller]
fn assert_counts<T: PartialEq + std::fmt::Debug>(found: &[T], expected: &[T], what: impl std::fmt::Display) {
    assert_eq!(found.len(), expected.len(), "{what}: the length");
    if let Some(i) = (0..found.len()).find(|&i| found[i] != expected[i]) {
        panic!("{what}: bin {i}: expected {:?}, found {:?}", expected[i], found[i]);
    }
}

#[track_caller]
fn counted<T: Sample>(histogram: &GpuHistogram<T>, samples: &GpuBuffer<T>) -> Vec<u32> {
    histogram.histogram(samples).expect("a histogram").to_vec().expect("download")
}

/// Around the places where kernels change: copies, kinds of counters, and the most there may be.
const BINS: [u32; 12] = [1, 2, 3, 127, 256, 257, 1000, 2048, 2049, 4096, 4097, 1 << 20];

fn conforms<T: Sample + Into<f64>>(values: &[T], lower: f64, upper: f64) {
    let exact: Vec<f64> = values.iter().map(|&value| value.into()).collect();
    for bins in BINS {
        let wanted = exact_even(&exact, bins, lower, upper);
        for device in everywhere() {
            let samples = device.upload(values).expect("upload");
            let even = GpuHistogram::<T>::even(&device, bins, lower..upper).expect("bins");
            assert_counts(&counted(&even, &samples), &wanted, format_args!("{bins} even bins on {device}"));
        }
    }
    for bins in [1, 2, 37, 300] {
        let edges: Vec<f64> = (0..=bins).map(|i| f64::from(i).powi(2) + lower).collect();
        let wanted = exact_between(&exact, &edges);
        for device in everywhere() {
            let samples = device.upload(values).expect("upload");
            let between = GpuHistogram::<T>::with_edges(&device, &edges).expect("bins");
            let what = format_args!("{} edges on {device}", edges.len());
            assert_counts(&counted(&between, &samples), &wanted, what);
        }
    }
}

const LEN: usize = 20_001;

#[test]
fn bins_of_u8() {
    let values: Vec<u8> = hashes(1).take(sized(LEN, 5000)).map(|bits| bits as u8).collect();
    conforms(&values, 0.0, 256.0);
    conforms(&values, 10.0, 200.0);
}

#[test]
fn bins_of_i8() {
    let values: Vec<i8> = hashes(2).take(sized(LEN, 5000)).map(|bits| bits as i8).collect();
    conforms(&values, -128.0, 128.0);
    conforms(&values, -300.0, 7.5);
}

#[test]
fn bins_of_u16() {
    let values: Vec<u16> = hashes(3).take(sized(LEN, 5000)).map(|bits| bits as u16).collect();
    conforms(&values, 0.0, 65_536.0);
}

#[test]
fn bins_of_i16() {
    let values: Vec<i16> = hashes(4).take(sized(LEN, 5000)).map(|bits| bits as i16).collect();
    conforms(&values, -1000.25, 30_000.0);
}

#[test]
fn bins_of_u32() {
    let values: Vec<u32> = hashes(5).take(sized(LEN, 5000)).map(|bits| bits as u32).collect();
    conforms(&values, 0.0, 4_294_967_296.0);
    conforms(&values, 1_000_000_007.0, 3_000_000_000.0);
}

#[test]
fn bins_of_i32() {
    let values: Vec<i32> = hashes(6).take(sized(LEN, 5000)).map(|bits| bits as i32).collect();
    conforms(&values, -2_147_483_648.0, 2_147_483_647.0);
}

/// Random, and on and beside every kind of edge.
#[test]
fn bins_of_f32() {
    let random = hashes(7).take(sized(LEN, 5000)).map(|bits| (bits >> 40) as f32 / (1 << 20) as f32 - 3.0);
    let on_edges = (0..1000).flat_map(|i| {
        let edge = i as f32 / 1000.0 * 7.0 - 3.0;
        [edge, edge.next_up(), edge.next_down()]
    });
    // Multiples of 2^-40, for the exact arithmetic.
    let values: Vec<f32> = random.chain(on_edges).filter(|x| x.abs() >= 1e-4).collect();
    conforms(&values, -3.0, 4.0);
    conforms(&values, 0.1f32.into(), 0.3f32.into());
}

#[test]
fn bins_of_f16() {
    let random = hashes(14).take(sized(LEN, 5000)).map(|bits| f16::from_bits(bits as u16));
    // Multiples of 2^-40 they are all, subnormal ones too.
    let values: Vec<f16> = random.filter(|x| x.is_finite()).collect();
    conforms(&values, -3.0, 4.0);
    conforms(&values, -65_504.0, 65_504.0);
    conforms(&values, 0.0, 2f64.powi(-17));
}

/// Known answers, and what is said of edges.
#[test]
fn edges_are_half_open() {
    for device in everywhere() {
        let samples = device.upload(&[-2i8, -1, 0, 1]).expect("upload");
        let histogram = GpuHistogram::<i8>::even(&device, 4, -2.0..2.0).expect("bins");
        assert_eq!(counted(&histogram, &samples), [1, 1, 1, 1]);

        // One sample, equal to the upper edge: in no bin.
        let samples = device.upload(&[1.0f32]).expect("upload");
        let histogram = GpuHistogram::<f32>::even(&device, 5, 0.0..1.0).expect("bins");
        assert_eq!(counted(&histogram, &samples), [0; 5]);
        let samples = device.upload(&[1.0f32.next_down()]).expect("upload");
        assert_eq!(counted(&histogram, &samples), [0, 0, 0, 0, 1]);

        // What is no number, out of range, or zero.
        let negative_nan = f32::from_bits(0xffc0_0000);
        let values = [f32::NAN, negative_nan, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, -1e-45, 1e-45];
        let samples = device.upload(&values).expect("upload");
        let histogram = GpuHistogram::<f32>::even(&device, 2, -1.0..1.0).expect("bins");
        assert_eq!(counted(&histogram, &samples), [1, 3]);
        let all = [f64::NEG_INFINITY, f64::INFINITY];
        let histogram = GpuHistogram::<f32>::with_edges(&device, &all).expect("bins");
        assert_eq!(counted(&histogram, &samples), [5], "infinity is not below infinity");

        // Equal edges enclose nothing, and bins may be finer than samples.
        let samples = device.upload(&[1u32, 2, 2, 3]).expect("upload");
        let histogram = GpuHistogram::<u32>::with_edges(&device, &[1.0, 2.0, 2.0, 2.0, 4.0]).expect("bins");
        assert_eq!(counted(&histogram, &samples), [1, 0, 0, 3]);
        let histogram = GpuHistogram::<u32>::even(&device, 8, 1.0..3.0).expect("bins");
        assert_eq!(counted(&histogram, &samples), [1, 0, 0, 0, 2, 0, 0, 0]);

        // Bins that no sample reaches.
        let samples = device.upload(&[0u8, 255]).expect("upload");
        for (range, wanted) in [
            (-512.0..512.0, [0, 0, 2, 0]),
            (300.0..400.0, [0; 4]),
            (-9.0..-1.0, [0; 4]),
            (0.2..0.8, [0; 4]),
            (255.0..1e30, [1, 0, 0, 0]),
        ] {
            let histogram = GpuHistogram::<u8>::even(&device, 4, range.clone()).expect("bins");
            assert_eq!(counted(&histogram, &samples), wanted, "{range:?}");
        }
    }
}

/// Ranges where arithmetic on floats overflows, vanishes or is too coarse: the CPU compares integers only.
#[test]
fn floats_of_all_magnitudes() {
    let values: Vec<f32> = hashes(8)
        .take(sized(LEN, 5000))
        .map(|bits| f32::from_bits(bits as u32))
        .chain([f32::MAX, f32::MIN])
        .collect();
    let cpu = Device::cpu();
    let host = cpu.upload(&values).expect("upload");
    let most = f64::from(f32::MAX);
    for range in
        [-most..most, 0.0..1e300, 0.0..1e-40, 1.0..1.0 + 1e-5, 1e30..1e31, -1e-30..1e-30, 0.0..5e-324]
    {
        for bins in [3, 1000, 1 << 20] {
            let wanted = counted(&GpuHistogram::<f32>::even(&cpu, bins, range.clone()).expect("bins"), &host);
            for tested in devices() {
                let samples = tested.device.upload(&values).expect("upload");
                let histogram = GpuHistogram::<f32>::even(&tested.device, bins, range.clone()).expect("bins");
                let what = format_args!("{range:?} in {bins}, {}", tested.name);
                assert_counts(&counted(&histogram, &samples), &wanted, what);
            }
        }
    }
    // The samples themselves are right there: one a bin, beside the next.
    for device in everywhere() {
        let around: Vec<f32> = (0..1000).map(|i| f32::from_bits(1.0f32.to_bits() + i)).collect();
        let samples = device.upload(&around).expect("upload");
        let upper = f64::from(f32::from_bits(1.0f32.to_bits() + 1000));
        let histogram = GpuHistogram::<f32>::even(&device, 1000, 1.0..upper).expect("bins");
        assert_eq!(counted(&histogram, &samples), [1; 1000]);
    }
}

/// Slices that begin and end inside a word, and counts in the middle of a buffer whose rest stays as it is.
#[test]
fn ranges_that_begin_anywhere() {
    let bytes: Vec<u8> = hashes(9).take(3000).map(|bits| bits as u8).collect();
    for device in everywhere() {
        let all = device.upload(&bytes).expect("upload");
        let histogram = GpuHistogram::<u8>::even(&device, 16, 0.0..256.0).expect("bins");
        for (start, end) in [(0, 1), (1, 2), (3, 5), (5, 8), (1, 1024), (255, 2999), (2998, 3000), (77, 77)] {
            let exact: Vec<f64> = bytes[start..end].iter().map(|&byte| byte.into()).collect();
            let mut wanted = vec![9; 20];
            wanted[3..19].copy_from_slice(&exact_even(&exact, 16, 0.0, 256.0));
            let counts = device.upload(&[9u32; 20]).expect("upload");
            let samples = all.slice(start..end).expect("a slice");
            let into = counts.slice(3..19).expect("a slice");
            histogram.histogram_into(&samples, &into).expect("a histogram");
            assert_counts(&counts.to_vec().expect("download"), &wanted, format_args!("{start}..{end}"));

            // Adds to what is there, now and when recorded.
            histogram.accumulate(&samples, &into).expect("a histogram");
            wanted[3..19].iter_mut().for_each(|count| *count *= 2);
            assert_counts(&counts.to_vec().expect("download"), &wanted, format_args!("{start}..{end} twice"));
            if records(&device) {
                record(&device, |encoder| {
                    histogram.encode_histogram(encoder, &samples, &into)?;
                    histogram.encode_accumulate(encoder, &samples, &into)
                })
                .expect("a histogram");
                let what = format_args!("{start}..{end} recorded");
                assert_counts(&counts.to_vec().expect("download"), &wanted, what);
            }
        }
        let odd = all.slice(7..2008).expect("a slice");
        assert_eq!(counted(&histogram, &odd).iter().sum::<u32>(), 2001);
    }
}

/// Interleaved channels, in ranges that begin and end anywhere; so many that values have no counters of their
/// own, too.
#[test]
fn channels_have_bins_of_their_own() {
    let bytes: Vec<u8> = hashes(10).take(17 * 300).map(|bits| (bits % 251) as u8).collect();
    let floats: Vec<f32> = bytes.iter().map(|&byte| f32::from(byte)).collect();
    for channels in [1u32, 2, 3, 4, 17] {
        let start = channels as usize * 5;
        let mut wanted = Vec::new();
        for channel in 0..channels as usize {
            let of_channel = bytes[start..].iter().skip(channel).step_by(channels as usize);
            let of_channel: Vec<f64> = of_channel.take(250).map(|&byte| byte.into()).collect();
            wanted.extend(exact_even(&of_channel, 100, 5.0, 250.0));
        }
        for device in everywhere() {
            let range = start..start + 250 * channels as usize;
            let bytes = device.upload(&bytes).and_then(|all| all.slice(range.clone())).expect("upload");
            let floats = device.upload(&floats).and_then(|all| all.slice(range.clone())).expect("upload");
            let of_bytes = GpuHistogram::<u8>::even(&device, 100, 5.0..250.0).expect("bins");
            let of_bytes = of_bytes.channels(channels).expect("channels");
            let of_floats = GpuHistogram::<f32>::even(&device, 100, 5.0..250.0).expect("bins");
            let of_floats = of_floats.channels(channels).expect("channels");
            assert_eq!(of_bytes.counters(), 100 * channels as usize);
            let what = format!("{channels} channels on {device}");
            assert_counts(&counted(&of_bytes, &bytes), &wanted, format_args!("{what}, u8"));
            assert_counts(&counted(&of_floats, &floats), &wanted, format_args!("{what}, f32"));
        }
    }
}

/// Weights of all bits: sums wrap around, and are the same whatever their order.
#[test]
fn weights_add_up() {
    let len = sized(30_000, 3000);
    let samples: Vec<u8> = hashes(11).take(len + 3).map(|bits| bits as u8).collect();
    let weights: Vec<u32> = hashes(12).take(len + 5).map(|bits| bits as u32).collect();
    for (bins, channels) in [(7, 1), (256, 1), (5000, 1), (40, 3)] {
        let (from, weights_from) = (3, 5);
        let mut wanted = vec![0u32; (bins * channels) as usize];
        for i in 0..len {
            let channel = i % channels as usize;
            if let Some(bin) = exact_bin(samples[from + i].into(), bins, 0.0, 250.0) {
                let sum = &mut wanted[channel * bins as usize + bin];
                *sum = sum.wrapping_add(weights[weights_from + i]);
            }
        }
        for device in everywhere() {
            let histogram = GpuHistogram::<u8>::even(&device, bins, 0.0..250.0).expect("bins");
            let histogram = histogram.channels(channels).expect("channels");
            let samples = device.upload(&samples).and_then(|all| all.slice(from..)).expect("upload");
            let unsigned = device.upload(&weights).and_then(|all| all.slice(weights_from..)).expect("upload");
            let what = format!("{bins} bins, {channels} channels on {device}");
            let found = histogram.weighted(&samples, &unsigned).expect("sums");
            assert_counts(&found.to_vec().expect("download"), &wanted, &what);

            let signed: Vec<i32> = bytemuck::cast_vec(weights.clone());
            let signed = device.upload(&signed).and_then(|all| all.slice(weights_from..)).expect("upload");
            let sums = device.upload(&vec![5i32; histogram.counters()]).expect("upload");
            histogram.weighted_into(&samples, &signed, &sums).expect("sums");
            histogram.accumulate_weighted(&samples, &signed, &sums).expect("sums");
            let twice: Vec<i32> = wanted.iter().map(|&sum| sum.wrapping_mul(2) as i32).collect();
            assert_counts(&sums.to_vec().expect("download"), &twice, &what);
            if records(&device) {
                record(&device, |encoder| {
                    histogram.encode_weighted(encoder, &samples, &signed, &sums)?;
                    histogram.encode_accumulate_weighted(encoder, &samples, &signed, &sums)
                })
                .expect("sums");
                assert_counts(&sums.to_vec().expect("download"), &twice, &what);
            }
        }
    }
}

/// All samples alike, at each kind of counters; many runs over what the runs before left behind.
#[test]
fn all_in_one_bin() {
    let len = sized(1 << 20, 100_000);
    for device in everywhere() {
        let samples = device.upload(&vec![200u8; len]).expect("upload");
        let words = device.upload(&vec![200u32; len]).expect("upload");
        for bins in [1, 256, 2048, 4096, 1 << 20] {
            let of_bytes = GpuHistogram::<u8>::even(&device, bins, 0.0..256.0).expect("bins");
            let of_words = GpuHistogram::<u32>::even(&device, bins, 0.0..256.0).expect("bins");
            let mut wanted = vec![0; bins as usize];
            wanted[(200 * bins as usize) / 256] = len as u32;
            for run in 0..3 {
                let what = format!("run {run}, {bins} bins on {device}");
                assert_counts(&counted(&of_bytes, &samples), &wanted, &what);
                assert_counts(&counted(&of_words, &words), &wanted, &what);
            }
        }
    }
}

#[test]
fn no_samples_at_all() {
    for device in everywhere() {
        let none = device.upload::<f32>(&[]).expect("upload");
        let counts = device.upload(&[7u32; 10]).expect("upload");
        let histogram = GpuHistogram::<f32>::even(&device, 10, 0.0..1.0).expect("bins");
        assert_eq!(counted(&histogram, &none), [0; 10]);
        histogram.accumulate(&none, &counts).expect("a histogram");
        assert_eq!(counts.to_vec().expect("download"), [7; 10]);
        histogram.histogram_into(&none, &counts).expect("a histogram");
        assert_eq!(counts.to_vec().expect("download"), [0; 10]);
    }
}

/// Inputs of many pieces, for bindings or grids that are too small for one.
#[test]
fn devices_with_little_room() {
    let len = sized(300_003, 50_001);
    let bytes: Vec<u8> = hashes(13).take(len).map(|bits| bits as u8).collect();
    let weights = vec![1u32; len];
    let exact: Vec<f64> = bytes.iter().map(|&byte| byte.into()).collect();
    for request in [
        Device::request().max_groups(1),
        Device::request().max_groups(3),
        Device::request().max_binding(4 << 10).max_groups(7),
        Device::request().max_binding(9 << 10).subgroups(false),
    ] {
        let device = own(request);
        let samples = device.upload(&bytes).and_then(|all| all.slice(1..)).expect("upload");
        let weights = device.upload(&weights).and_then(|all| all.slice(1..)).expect("upload");
        let histogram = GpuHistogram::<u8>::even(&device, 100, 0.0..256.0).expect("bins");
        let wanted = exact_even(&exact[1..], 100, 0.0, 256.0);
        assert_counts(&counted(&histogram, &samples), &wanted, &device);
        let sums = histogram.weighted(&samples, &weights).expect("sums");
        assert_counts(&sums.to_vec().expect("download"), &wanted, &device);

        let mut of_channels = vec![0; 300];
        for (i, &byte) in bytes[..len / 3 * 3].iter().enumerate() {
            of_channels[i % 3 * 100 + exact_bin(byte.into(), 100, 0.0, 256.0).expect("in range")] += 1;
        }
        let histogram = histogram.channels(3).expect("channels");
        let samples = device.upload(&bytes[..len / 3 * 3]).expect("upload");
        assert_counts(&counted(&histogram, &samples), &of_channels, &device);
    }
    // Counters have to be in one binding.
    let device = own(Device::request().max_binding(4 << 10));
    let histogram = GpuHistogram::<u32>::even(&device, 1025, 0.0..1.0).expect("bins");
    let samples = device.upload(&[1u32]).expect("upload");
    let error = histogram.histogram(&samples).expect_err("4,100 bytes");
    assert!(matches!(error, Error::TooLarge { expected: 4096, found: 4100, .. }), "{error:?}");
}

#[test]
fn a_warm_call_makes_only_its_result() {
    let device = own(Device::request());
    assert_eq!(device.counters(), Counters::default());
    let samples = device.upload(&[1.0f32; 1000]).expect("upload");
    let weights = device.upload(&[3u32; 1000]).expect("upload");
    let histogram = GpuHistogram::<f32>::even(&device, 30, 0.0..4.0).expect("bins");
    let counts = device.zeros(30).expect("a buffer");
    let calls = || {
        histogram.histogram(&samples).expect("a histogram");
        histogram.weighted(&samples, &weights).expect("sums");
        histogram.histogram_into(&samples, &counts).expect("a histogram");
        histogram.accumulate(&samples, &counts).expect("a histogram");
    };
    calls();
    let before = device.counters();
    calls();
    let after = device.counters();
    assert_eq!(after.buffers, before.buffers + 2);
    let others = |counters: Counters| (counters.pipelines, counters.scratch, counters.parameters);
    assert_eq!(others(after), others(before));
}

#[test]
fn bins_that_cannot_be() {
    for device in everywhere() {
        let edges = |edges: &[f64]| GpuHistogram::<f32>::with_edges(&device, edges).map(|_| ());
        let said = |result: Result<(), Error>| result.expect_err("bad bins").to_string();
        let of_edges = "the edges of a histogram's bins: expected";
        assert_eq!(said(edges(&[])), format!("{of_edges} at least 2, found 0"));
        assert_eq!(said(edges(&[1.0])), format!("{of_edges} at least 2, found 1"));
        assert_eq!(said(edges(&[0.0, f64::NAN])), format!("{of_edges} numbers, found NaN at 1"));
        assert_eq!(
            said(edges(&[0.0, 2.0, 1.5])),
            format!("{of_edges} edges that do not decrease, found 2 at 1, then 1.5")
        );
        let even = |bins, range| GpuHistogram::<f32>::even(&device, bins, range).map(|_| ());
        assert_eq!(said(even(0, 0.0..1.0)), "a histogram's bins: expected at least 1, found 0");
        assert!(matches!(even((1 << 20) + 1, 0.0..1.0), Err(Error::TooLarge { expected: 0x10_0000, .. })));
        let of_range =
            "the range of a histogram's bins: expected two finite numbers, the first below the second";
        assert_eq!(said(even(3, 1.0..1.0)), format!("{of_range}, found 1 and 1"));
        for range in [1.0..0.0, f64::NAN..1.0, 0.0..f64::NAN, 0.0..f64::INFINITY, f64::NEG_INFINITY..0.0] {
            assert!(matches!(even(3, range), Err(Error::Invalid { .. })));
        }
        let one = GpuHistogram::<f32>::even(&device, 3, 0.0..1.0).expect("bins");
        let channels = |channels| one.clone().channels(channels).map(|_| ());
        assert_eq!(said(channels(0)), "a histogram's channels: expected at least 1, found 0");
        assert!(matches!(channels(1025), Err(Error::TooLarge { expected: 1024, found: 1025, .. })));
    }
}

#[test]
fn buffers_that_do_not_fit() {
    for device in everywhere() {
        let samples = device.upload(&[1u32; 10]).expect("upload");
        let weights = device.upload(&[1u32; 9]).expect("upload");
        let counts = device.upload(&[7u32; 4]).expect("upload");
        let histogram = GpuHistogram::<u32>::even(&device, 3, 0.0..3.0).expect("bins");
        let three = counts.slice(..3).expect("a slice");
        let error = histogram.histogram_into(&samples, &counts).expect_err("four counts");
        assert_eq!(error, Error::Length { what: "the counts", expected: 3, found: 4 });
        let error = histogram.weighted_into(&samples, &weights, &three).expect_err("nine weights");
        assert_eq!(error, Error::Length { what: "the weights", expected: 10, found: 9 });
        let error = histogram.histogram_into(&samples, &samples.slice(..3).expect("a slice"));
        let Err(Error::Invalid { what: "the counts", expected, found }) = error else { panic!("{error:?}") };
        assert_eq!(expected, "another buffer than that of the samples");
        assert_eq!(found, "bytes 0..12 of the buffer with the samples at 0..40");
        let error = histogram.clone().channels(3).expect("channels").histogram(&samples).expect_err("ten");
        let wanted = "the number of samples: expected a multiple of the 3 channels, found 10";
        assert_eq!(error.to_string(), wanted);

        let other = Device::cpu();
        let stray = other.upload(&[1u32; 10]).expect("upload");
        let stray_counts = other.upload(&[0u32; 3]).expect("upload");
        for (result, wanted) in [
            (histogram.histogram(&stray).map(|_| ()), "the samples"),
            (histogram.histogram_into(&stray, &three), "the samples"),
            (histogram.histogram_into(&samples, &stray_counts), "the counts"),
            (histogram.weighted_into(&samples, &stray, &three), "the weights"),
        ] {
            assert!(matches!(result, Err(Error::WrongDevice { what, .. }) if what == wanted), "{result:?}");
        }
        assert_eq!(counts.to_vec().expect("download"), [7; 4]);
    }
}
