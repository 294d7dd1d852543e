//! Compaction, run lengths and totals against what Rust's iterators make of them.

mod common;

use std::borrow::Cow;

use common::{
    checker::record,
    everywhere,
    inputs::{hashes, values},
    on_wgpu,
    oracle::{assert_bits, naive},
    own, repetitions, sized,
};
use gpuscan::{
    Device, Double, Element, Error, GpuBuffer, GpuCompact, GpuReduce, GpuRunLength, Monoid, Predicate, Sum,
    wgpu,
};

/// Keeps numbers whose remainder by 1,000 is below a limit.
#[derive(Clone)]
struct Below(u32);

impl Predicate<u32> for Below {
    fn keeps(&self, value: u32) -> bool {
        value % 1000 < self.0
    }

    fn wgsl(&self) -> Cow<'static, str> {
        format!("return value % 1000u < {}u;", self.0).into()
    }
}

fn lengths() -> [usize; 7] {
    [0, 1, 5, 4096, 4097, 30_000, sized(600_001, 9001)]
}

/// Again and again, with other numbers each time: where tiles wait for each other, chance has a say.
#[test]
fn runs_do_not_differ() {
    let most = sized(50_000, 9001);
    for device in everywhere() {
        let compact = GpuCompact::new(&device);
        let input = device.zeros::<u32>(most).expect("a buffer");
        for run in 0..repetitions(sized(30, 3)) {
            let len = most - run * 997 % most / 2;
            let numbers = values::<u32>(run as u64, len);
            let from = input.slice(..len).expect("a slice");
            from.write(&numbers).expect("upload");
            let half = Below(500);
            let found = compact.of(&from).keeping(&half).run().expect("a compaction");
            let kept: Vec<u32> = numbers.into_iter().filter(|&value| half.keeps(value)).collect();
            assert_bits(&found.to_vec().expect("download"), &kept, format_args!("run {run} on {device}"));
        }
    }
}

/// The last two devices have kernels as for GPUs on software drivers too: there, lanes hold the elements.
#[test]
fn what_is_kept_stays_in_order() {
    let written_out =
        [true, false].map(|subgroups| own(Device::request().tile_log2(12).subgroups(subgroups)));
    for device in everywhere().chain(written_out) {
        let compact = GpuCompact::new(&device);
        for len in lengths() {
            let input = values::<u32>(len as u64, len);
            // Not at the start of its buffer.
            let shifted: Vec<u32> = [7, 7, 7].iter().chain(&input).copied().collect();
            let whole = device.upload(&input).expect("upload");
            let part = device.upload(&shifted).expect("upload").slice(3..).expect("a slice");
            for uploaded in [whole, part] {
                let what = format!("half of {len} on {device}");
                let half = Below(500);
                let (kept, others): (Vec<u32>, Vec<u32>) =
                    input.iter().partition(|&&value| half.keeps(value));
                let compacting = compact.of(&uploaded).keeping(&half);
                let found = compacting.clone().run().expect(&what).to_vec().expect("download");
                assert_bits(&found, &kept, &what);

                let indices = compacting.clone().indices().expect(&what).to_vec().expect("download");
                let wanted: Vec<u32> =
                    (0u32..).zip(&input).filter(|(_, value)| half.keeps(**value)).map(|(i, _)| i).collect();
                assert_bits(&indices, &wanted, format_args!("indices, {what}"));

                let (parted, count) = compacting.partition().expect(&what);
                assert_eq!(count.to_vec().expect("download"), [kept.len() as u32], "{what}");
                let both: Vec<u32> = kept.into_iter().chain(others).collect();
                assert_bits(&parted.to_vec().expect("download"), &both, format_args!("parted, {what}"));
            }
        }
    }
}

/// None, all, every other, the last only; wide elements along with them.
#[test]
fn by_flags() {
    for device in everywhere() {
        let compact = GpuCompact::new(&device);
        for len in lengths() {
            let input: Vec<[f32; 3]> =
                hashes(1).take(len).map(|bits| [bits as f32, 2.5, (bits >> 32) as f32]).collect();
            let uploaded = device.upload(&input).expect("upload");
            let patterns: [Vec<u32>; 4] = [
                vec![0; len],
                vec![3; len],
                (0..len as u32).map(|i| i % 2).collect(),
                (0..len).map(|i| u32::from(i + 1 == len)).collect(),
            ];
            for (pattern, flags) in patterns.into_iter().enumerate() {
                let wanted: Vec<[f32; 3]> = input
                    .iter()
                    .zip(&flags)
                    .filter(|(_, flag)| **flag != 0)
                    .map(|(&value, _)| value)
                    .collect();
                let flags = device.upload(&flags).expect("upload");
                let what = format!("pattern {pattern} of {len} on {device}");
                let found = compact.of(&uploaded).flagged(&flags).run().expect(&what);
                assert_bits(&found.to_vec().expect("download"), &wanted, &what);
            }
        }
    }
}

fn runs_of<T: Element>(values: &[T]) -> Vec<(T, u32, u32)> {
    let same = |a: &T, b: &T| bytemuck::bytes_of(a) == bytemuck::bytes_of(b);
    let mut start = 0;
    let runs = values.chunk_by(same).map(|run| {
        let entry = (run[0], start, run.len() as u32);
        start += entry.2;
        entry
    });
    runs.collect()
}

#[test]
fn runs_of_equal_elements() {
    for device in everywhere() {
        for len in lengths() {
            for most in [1, 3, 1000] {
                let input: Vec<u64> = hashes(most)
                    .take(len)
                    .scan(0u64, |at, bits| {
                        *at += u64::from(bits % most == 0) << 33;
                        Some(*at)
                    })
                    .collect();
                let uploaded = device.upload(&input).expect("upload");
                let what = format!("{len} in runs of {most} on {device}");
                let runs =
                    GpuRunLength::new(&device).runs(&uploaded).expect(&what).to_vec().expect("download");
                assert_eq!(runs, runs_of(&input), "{what}");
                let unique = GpuCompact::new(&device).of(&uploaded).unique().run().expect(&what);
                let mut wanted = input.clone();
                wanted.dedup();
                assert_bits(&unique.to_vec().expect("download"), &wanted, what);
            }
        }
        // By their bits: NaN equals itself, zeros of different sign differ.
        let floats = device.upload(&[f32::NAN, f32::NAN, 0.0, -0.0, -0.0]).expect("upload");
        let runs = GpuRunLength::new(&device).runs(&floats).expect("runs").to_vec().expect("download");
        let lengths: Vec<u32> = runs.iter().map(|run| run.2).collect();
        assert_eq!(lengths, [2, 1, 2], "{device}");
    }
}

#[test]
fn totals_are_the_last_of_a_scan() {
    fn check<T: common::inputs::Sample>(device: &Device)
    where
        Sum: Monoid<T>,
    {
        let reduce = GpuReduce::new(device);
        for len in [0, 1, 3, 4095, 4096, 8192, 8193, 100_000, sized((1 << 19) + 77, 9000)] {
            let input = values::<T>(len as u64, len);
            let uploaded = device.upload(&input).expect("upload");
            let wanted = naive(&Sum, &input, false).last().copied().unwrap_or(Sum.identity());
            for run in 0..2 {
                let total = reduce.reduce(&uploaded).expect("a total").to_vec().expect("download");
                assert_bits(&total, &[wanted], format_args!("run {run}: {len} {} on {device}", T::NAME));
            }
        }
    }
    for device in everywhere() {
        check::<u32>(&device);
        check::<f32>(&device);
        let wide: GpuBuffer<u64> = GpuReduce::new(&device)
            .mapping(Double)
            .reduce(&device.upload(&[u32::MAX; 10_000]).expect("upload"))
            .expect("a total");
        assert_eq!(wide.to_vec().expect("download"), [10_000 * u64::from(u32::MAX)]);
    }
}

/// Counts never leave the device: they become the arguments of a dispatch there.
#[test]
fn counts_become_arguments() {
    let device = on_wgpu(Device::request().max_groups(100));
    let compact = GpuCompact::new(&device);
    let input = device.upload(&(0..70_000u32).collect::<Vec<_>>()).expect("upload");
    let (kept, count) = (device.zeros(70_000).expect("a buffer"), device.zeros(1).expect("a buffer"));
    let arguments = device.zeros::<u32>(3).expect("a buffer");
    for (limit, wanted) in [(1000, [92, 3, 1]), (0, [0, 1, 1]), (100, [28, 1, 1])] {
        record(&device, |encoder| {
            compact.of(&input).keeping(&Below(limit)).encode(encoder, &kept, &count)?;
            compact.encode_arguments(encoder, &count, 256, &arguments)
        })
        .expect("recording");
        assert_eq!(arguments.to_vec().expect("download"), wanted, "{limit} ‰");
    }
}

/// More pieces than one binding holds, and more tiles than a row of workgroups.
#[test]
fn inputs_in_pieces() {
    let device = own(Device::request().max_binding(1 << 20).max_groups(20));
    let input = values::<u32>(1, 250_000);
    let uploaded = device.upload(&input).expect("upload");
    let kept: Vec<u32> = input.iter().copied().filter(|&value| Below(30).keeps(value)).collect();
    let found = GpuCompact::new(&device).of(&uploaded).keeping(&Below(30)).run().expect("a compaction");
    assert_bits(&found.to_vec().expect("download"), &kept, "in one piece");
    let total: GpuBuffer<u32> = GpuReduce::new(&device).reduce(&uploaded).expect("a total");
    let wanted = input.iter().fold(0u32, |sum, &value| sum.wrapping_add(value));
    assert_eq!(total.to_vec().expect("download"), [wanted]);
    // A result that no binding spans is an error that says so.
    let long = device.upload(&vec![1u32; 300_000]).expect("upload");
    let error = GpuCompact::new(&device).of(&long).keeping(&Below(30)).run().map(|_| ());
    assert!(matches!(error, Err(Error::TooLarge { unit: "bytes", .. })), "{error:?}");
    let total: GpuBuffer<u32> = GpuReduce::new(&device).reduce(&long).expect("a total in pieces");
    assert_eq!(total.to_vec().expect("download"), [300_000]);
}

#[test]
fn wrong_use_is_an_error() {
    for device in everywhere() {
        let compact = GpuCompact::new(&device);
        let input = device.upload(&[1u32, 2, 3]).expect("upload");
        let (short, count) = (device.zeros(2).expect("a buffer"), device.zeros(1).expect("a buffer"));
        let error = compact.of(&input).keeping(&Below(1)).run_into(&short, &count);
        assert!(
            matches!(error, Err(Error::Length { what: "the output", expected: 3, found: 2 })),
            "{error:?}"
        );
        let error = compact.of(&input).flagged(&short).run().map(|_| ());
        assert!(matches!(error, Err(Error::Length { expected: 3, found: 2, .. })), "{error:?}");
        let error = compact.of(&input).keeping(&Below(1)).run_into(&input, &count);
        assert!(matches!(error, Err(Error::Overlap { .. })), "{error:?}");
        let error = GpuReduce::new(&device).reduce_into(&input, &short);
        assert!(matches!(error, Err(Error::Length { expected: 1, found: 2, .. })), "{error:?}");
        let error = GpuReduce::new(&Device::cpu()).reduce(&input).map(|_: GpuBuffer<u32>| ());
        assert!(matches!(error, Err(Error::WrongDevice { .. })), "{error:?}");
        let mut encoder = match device.wgpu_device() {
            Some(device) => device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()),
            None => continue,
        };
        let sum = GpuReduce::new(&device).encode::<u32, u32>(&mut encoder, &input, &short);
        assert!(matches!(sum, Err(Error::Length { expected: 1, .. })), "{sum:?}");
    }
}
