//! Scans with known right answers: the articles', and those from bug reports on other libraries.

mod common;

use std::borrow::Cow;

use common::{
    algorithms, canonical,
    checker::{check, check_monoid, scanned},
    everywhere,
    inputs::{hashes, normal, values},
    oracle::{assert_bits, expected},
    own, sized,
};
use gpuscan::{Algorithm, Device, GpuScan, Monoid, Sum};

/// The elements one after another: right for integers, whatever the order of combination.
fn sequential(values: &[u32], exclusive: bool) -> Vec<u32> {
    let inclusive = values.iter().scan(0u32, |sum, &value| {
        *sum = sum.wrapping_add(value);
        Some(*sum)
    });
    match exclusive {
        false => inclusive.collect(),
        true => inclusive.zip(values).map(|(sum, &value)| sum.wrapping_sub(value)).collect(),
    }
}

#[test]
fn the_articles_eight_numbers() {
    let numbers = [3u32, 1, 7, 0, 4, 2, 1, 6];
    for device in everywhere() {
        for algorithm in Algorithm::ALL {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            let what = format!("{algorithm} on {device}");
            let inclusive = scanned(&scan, &device, false, &numbers);
            assert_eq!(inclusive, [3, 4, 11, 11, 15, 17, 18, 24], "{what}");
            let exclusive = scanned(&scan, &device, true, &numbers);
            assert_eq!(exclusive, [0, 3, 4, 11, 11, 15, 17, 18], "{what}");
        }
    }
}

#[test]
fn the_articles_four_numbers() {
    for device in everywhere() {
        for algorithm in Algorithm::ALL {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            assert_eq!(
                scanned(&scan, &device, false, &[1, 2, 3, 4]),
                [1, 3, 6, 10],
                "{algorithm} on {device}"
            );
            assert_eq!(scanned(&scan, &device, true, &[1, 2, 3, 4]), [0, 1, 3, 6], "{algorithm} on {device}");
        }
    }
}

#[test]
fn the_articles_ten_thousand_normal_floats() {
    let floats: Vec<f32> = hashes(1).map(normal).take(10_000).collect();
    for device in everywhere() {
        for algorithm in algorithms(floats.len()) {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            for exclusive in [false, true] {
                let found = scanned(&scan, &device, exclusive, &floats);
                let wanted = expected(&Sum, algorithm, &floats, exclusive);
                assert_bits(&found, &wanted, format_args!("{algorithm} on {device}, exclusive: {exclusive}"));
            }
        }
    }
}

/// Integers do not care for the order: every algorithm gives the one right answer.
#[test]
fn every_algorithm_is_right_about_integers() {
    for len in [1, 1000, 4096, 5000, 140_000] {
        let numbers = values::<u32>(2, len);
        for device in everywhere() {
            for algorithm in algorithms(len) {
                let scan = GpuScan::new(&device).algorithm(algorithm);
                for exclusive in [false, true] {
                    let found = scanned(&scan, &device, exclusive, &numbers);
                    let what = format_args!("{algorithm} of {len} on {device}, exclusive: {exclusive}");
                    assert_bits(&found, &sequential(&numbers, exclusive), what);
                }
            }
        }
    }
}

/// tfjs#1867.
#[test]
fn a_million_zeros() {
    let zeros = vec![0u32; sized(1_000_000, 100_000)];
    for device in everywhere() {
        for algorithm in algorithms(zeros.len()) {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            assert!(scanned(&scan, &device, false, &zeros) == zeros, "{algorithm} on {device}");
        }
    }
}

/// oneDPL#514.
#[test]
fn exclusive_in_place() {
    for device in everywhere() {
        for algorithm in Algorithm::ALL {
            let data = device.upload(&[3i32, 1, 4, 1, 5, 9, 2, 6]).expect("upload");
            GpuScan::new(&device).algorithm(algorithm).exclusive_in_place(&data).expect("a scan");
            let found = data.to_vec().expect("download");
            assert_eq!(found, [0, 3, 4, 8, 9, 14, 23, 25], "{algorithm} on {device}");
        }
    }
}

/// cub#43, and the sizes of all tiles there are, with one more and one less. Floats, which would show
/// another order of combination.
#[test]
fn around_every_tile() {
    let tiles = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768];
    let around = |n: usize| [n - 1, n, n + 1];
    let mut lens: Vec<usize> = tiles.into_iter().flat_map(around).chain([1792, 1793]).collect();
    lens.retain(|&len| len <= sized(usize::MAX, 8193));
    for device in everywhere() {
        for &len in &lens {
            let floats = values::<f32>(3, len);
            for algorithm in algorithms(len) {
                let scan = GpuScan::new(&device).algorithm(algorithm);
                for exclusive in [false, true] {
                    let found = scanned(&scan, &device, exclusive, &floats);
                    let wanted = expected(&Sum, algorithm, &floats, exclusive);
                    let what = format_args!("{algorithm} of {len} on {device}, exclusive: {exclusive}");
                    assert_bits(&found, &wanted, what);
                }
            }
        }
    }
}

/// Blocks of 2^18, and the fold across them.
#[test]
fn around_every_block() {
    const BLOCK: usize = 1 << 18;
    let all = [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 3 * BLOCK + 1];
    for &len in sized(&all[..], &[BLOCK, 2 * BLOCK + 1]) {
        let floats = values::<f32>(4, len);
        for exclusive in [false, true] {
            let wanted = expected(&Sum, Algorithm::Auto, &floats, exclusive);
            for device in everywhere() {
                for algorithm in canonical(len) {
                    let scan = GpuScan::new(&device).algorithm(algorithm);
                    let found = scanned(&scan, &device, exclusive, &floats);
                    let what = format_args!("{algorithm} of {len} on {device}, exclusive: {exclusive}");
                    assert_bits(&found, &wanted, what);
                }
            }
        }
    }
}

/// rocm-libraries#8263: data that starts anywhere gives what aligned data gives. All offsets up to one more
/// than a binding's alignment, of input and output.
#[test]
fn odd_offsets_give_what_aligned_data_gives() {
    let len = sized(9001, 1001);
    let floats = values::<f32>(5, len);
    for device in everywhere() {
        let memory = device.zeros::<f32>(len + 66).expect("a buffer");
        let output = device.zeros::<f32>(len + 66).expect("a buffer");
        for algorithm in algorithms(len) {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            let aligned = scanned(&scan, &device, false, &floats);
            for (input_at, output_at) in (0..=65).map(|i| (i, 65 - i)) {
                let input = memory.slice(input_at..input_at + len).expect("a slice");
                let output = output.slice(output_at..output_at + len).expect("a slice");
                input.write(&floats).expect("writing");
                scan.inclusive_into(&input, &output).expect("a scan");
                let what = format_args!("{algorithm} on {device}, from {input_at} to {output_at}");
                assert_bits(&output.to_vec().expect("download"), &aligned, what);
            }
        }
    }
}

/// AcceleratedKernels.jl#10: many runs, all right.
#[test]
fn every_run_gives_the_same() {
    let (len, runs) = sized((1 << 20, 40), (1 << 17, 10));
    let numbers = values::<u32>(6, len);
    let wanted = sequential(&numbers, false);
    for device in everywhere() {
        let input = device.upload(&numbers).expect("upload");
        let output = device.zeros::<u32>(len).expect("a buffer");
        for algorithm in algorithms(len).filter(|algorithm| algorithm.is_canonical()) {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            for run in 0..runs {
                scan.inclusive_into(&input, &output).expect("a scan");
                let found = output.to_vec().expect("download");
                assert!(found == wanted, "run {run} of {algorithm} on {device}");
            }
        }
    }
}

/// luma.gl#3215: one workgroup more than a row of a grid holds, for tiles of 256. A slow driver gets a
/// shorter row instead.
#[test]
fn one_workgroup_more_than_a_row_holds() {
    let row = sized(65_535, 255);
    let len = row as usize * 256 + 1;
    let numbers = values::<u32>(7, len);
    let wanted = sequential(&numbers, false);
    for subgroups in [true, false] {
        let device = own(Device::request().subgroups(subgroups).max_groups(row));
        for algorithm in [Algorithm::HillisSteele, Algorithm::Auto] {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            let found = scanned(&scan, &device, false, &numbers);
            assert!(found == wanted, "{algorithm} on {device}");
        }
    }
}

/// Lampshade's note: the levels of a recursion lie side by side in one scratch buffer. Three levels here,
/// each with one element more than is handy.
#[test]
fn levels_of_a_recursion_do_not_overlap() {
    let len = sized(2048 * 2048, 512 * 512) + 1;
    let numbers = values::<u32>(8, len);
    let wanted = sequential(&numbers, true);
    for device in everywhere() {
        for algorithm in [Algorithm::HillisSteele, Algorithm::Blelloch, Algorithm::Auto] {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            let found = scanned(&scan, &device, true, &numbers);
            assert!(found == wanted, "{algorithm} on {device}");
        }
    }
}

#[test]
fn integers_wrap_around() {
    for device in everywhere() {
        for algorithm in Algorithm::ALL {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            let signed = scanned(&scan, &device, false, &[i32::MAX, 1, -1, i32::MIN, i32::MIN]);
            assert_eq!(signed, [i32::MAX, i32::MIN, i32::MAX, -1, i32::MAX], "{algorithm} on {device}");
            let unsigned = scanned(&scan, &device, false, &[u32::MAX, 1, u32::MAX, u32::MAX]);
            assert_eq!(unsigned, [u32::MAX, 0, u32::MAX, u32::MAX - 1], "{algorithm} on {device}");
        }
    }
}

/// A load-balancing split: each worker binary-searches the prefix for its share, and gets the fair share but
/// for less than the longest task.
#[test]
fn work_is_split_fairly() {
    let tasks: Vec<u32> = hashes(9).map(|bits| 1 + bits as u32 % 100).take(10_000).collect();
    for device in everywhere() {
        let starts = scanned(&GpuScan::new(&device), &device, true, &tasks);
        let total = starts[starts.len() - 1] + tasks[tasks.len() - 1];
        for workers in [1, 7, 64] {
            // The first task that starts at the worker's share or after it.
            let cut = |worker: u32| {
                let first = starts.partition_point(|&start| start * workers < total * worker);
                starts.get(first).copied().unwrap_or(total)
            };
            for worker in 0..workers {
                let load = cut(worker + 1) - cut(worker);
                let unfair = (load * workers).abs_diff(total);
                let what = format!("worker {worker} of {workers} has {load} of {total} on {device}");
                assert!(unfair < 100 * workers, "{what}");
            }
        }
    }
}

/// The bicyclic monoid: (m, n) ∘ (r, s) = (m + r − min(n, r), s + n − min(n, r)), each pair in one word.
/// Associative, as far from commutative as can be: CUB's own test for operand order.
#[derive(Clone)]
struct Bicyclic;

impl Monoid<u32> for Bicyclic {
    fn identity(&self) -> u32 {
        0
    }

    fn combine(&self, left: u32, right: u32) -> u32 {
        let ((m, n), (r, s)) = ((left >> 16, left & 0xffff), (right >> 16, right & 0xffff));
        let least = n.min(r);
        ((m + r - least) << 16) | (s + n - least)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "fn identity() -> T {
             return 0u;
         }
         fn combine(left: T, right: T) -> T {
             let n = left & 0xffffu;
             let r = right >> 16u;
             let least = min(n, r);
             return (((left >> 16u) + r - least) << 16u) | ((right & 0xffffu) + n - least);
         }"
        .into()
    }

    fn cuda(&self) -> Option<Cow<'static, str>> {
        let text = "__device__ T identity() { return 0; }
            __device__ T combine(T left, T right) {
                T n = left & 0xffff, r = right >> 16;
                T least = n < r ? n : r;
                return (((left >> 16) + r - least) << 16) | ((right & 0xffff) + n - least);
            }";
        Some(text.into())
    }
}

#[test]
fn operands_keep_their_sides() {
    for len in [5, 257, 513, 4096, 20_000] {
        // No sum of parts reaches 2^16.
        let pairs: Vec<u32> = hashes(10).map(|bits| bits as u32 & 0x0003_0003).take(len).collect();
        let wanted: Vec<u32> = pairs
            .iter()
            .scan(0, |sum, &pair| {
                *sum = Bicyclic.combine(*sum, pair);
                Some(*sum)
            })
            .collect();
        for device in everywhere() {
            for algorithm in algorithms(len) {
                let scan = GpuScan::with_monoid(&device, Bicyclic).algorithm(algorithm);
                let found = scanned(&scan, &device, false, &pairs);
                assert_bits(&found, &wanted, format_args!("{algorithm} of {len} on {device}"));
            }
        }
    }
}

#[test]
fn an_operator_of_the_users_own_works_everywhere() {
    for device in everywhere() {
        for len in [1000, 10_000] {
            let pairs: Vec<u32> = hashes(11).map(|bits| bits as u32 & 0x0003_0003).take(len).collect();
            for algorithm in algorithms(len) {
                check_monoid(&device, &Bicyclic, algorithm, &pairs);
            }
        }
    }
}

/// log(eˡ + eʳ), as a user would write it.
#[derive(Clone)]
struct LogSumExp;

impl Monoid<f32> for LogSumExp {
    fn identity(&self) -> f32 {
        f32::NEG_INFINITY
    }

    fn combine(&self, left: f32, right: f32) -> f32 {
        let (most, least) = (left.max(right), left.min(right));
        if left.is_nan() || right.is_nan() {
            left + right
        } else if most == least {
            // Infinity minus infinity would be NaN.
            most + std::f32::consts::LN_2
        } else {
            most + (least - most).exp().ln_1p()
        }
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "fn identity() -> T {
             var negative_infinity = 0xff800000u; // WGSL has no infinite constants
             return bitcast<f32>(negative_infinity);
         }
         fn is_nan(value: T) -> bool {
             // Drivers may take it that a value equals itself.
             return (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
         }
         fn combine(left: T, right: T) -> T {
             let most = max(left, right);
             let least = min(left, right);
             if is_nan(left) || is_nan(right) {
                 return left + right;
             }
             if most == least {
                 return most + 0.6931472;
             }
             return most + log(1.0 + exp(least - most));
         }"
        .into()
    }

    fn cuda(&self) -> Option<Cow<'static, str>> {
        let text = "__device__ T identity() { return -__int_as_float(0x7f800000); }
            __device__ T combine(T left, T right) {
                T most = fmaxf(left, right), least = fminf(left, right);
                if (isnan(left) || isnan(right)) {
                    return left + right;
                }
                return most == least ? most + 0.6931471805599453f : most + log1pf(expf(least - most));
            }";
        Some(text.into())
    }
}

/// tensorflow#111383, tensorflow#115610, pytorch#52213. Devices differ in the last bits of exp and log.
#[test]
fn log_sum_exp_with_infinities() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let cases: [(&[f32], &[f32]); 3] = [
        (&[1.0, nan, 2.0], &[1.0, nan, nan]),
        (&[inf, inf, 1.0], &[inf, inf, inf]),
        (&[2.0, -inf, -inf, 1.0, 3.0], &[2.0, 2.0, 2.0, 2.3133, 3.4076]),
    ];
    let near = |found: f32, wanted: f32| match wanted.is_finite() {
        true => (found - wanted).abs() < 1e-4,
        false => found == wanted || (found.is_nan() && wanted.is_nan()),
    };
    for device in everywhere() {
        for algorithm in Algorithm::ALL {
            for (values, wanted) in cases {
                let scan = GpuScan::with_monoid(&device, LogSumExp).algorithm(algorithm);
                let found = scanned(&scan, &device, false, values);
                let right = found.iter().zip(wanted).all(|(&found, &wanted)| near(found, wanted));
                assert!(right, "{algorithm} of {values:?} on {device}: expected {wanted:?}, found {found:?}");
            }
        }
    }
}

#[test]
fn floats_of_every_kind() {
    // Infinities, NaN, overflow, zeros of both signs.
    let specials =
        [1.0, f32::MAX, f32::MAX, -f32::MAX, 2.0, f32::NEG_INFINITY, 5.0, f32::INFINITY, 1.0, f32::NAN, 3.0];
    let zeros = [-0.0f32, -0.0, 0.0, -0.0];
    for device in everywhere() {
        for algorithm in Algorithm::ALL {
            check(&device, algorithm, &specials[..]);
            check(&device, algorithm, &zeros[..]);
        }
    }
}
