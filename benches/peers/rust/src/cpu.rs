//! What a program without a GPU library does: one running sum, or rayon in two passes.
//!
//! Floats are summed in f64 and rounded on the way out. A running sum in f32 would be no scan of
//! these inputs: it stops growing at 2^24, where the next f32 is 2 away.

use std::hint::black_box;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::protocol::{Data, Element, Options, Row};

type Scan<T> = fn(&[T], &mut [T]);

pub fn rows<T: Element>(options: &Options, data: &Data<T>, rows: &mut Vec<Row>) {
    let mut output = vec![T::default(); data.input.len()];
    let rayon = format!(
        "reduce and scan chunks, {} threads, wall clock",
        rayon::current_num_threads()
    );
    let serial = "running sum, wall clock".to_owned();
    for n in options.sizes() {
        let (x, y) = (&data.input[..n], &mut output[..n]);
        let scans: [(&str, &String, Scan<T>); 2] = [
            ("CPU serial", &serial, scan_serial),
            ("CPU rayon", &rayon, scan_rayon),
        ];
        for (peer, algorithm, scan) in scans {
            y.fill(T::at(u32::MAX));
            scan(x, y);
            let checked = data.right(0, y);
            let samples = measure(|| scan(black_box(x), black_box(&mut *y)));
            rows.push(Row::new::<T>(
                (peer, algorithm.clone(), "cpu"),
                n,
                samples,
                checked,
            ));
        }
    }
}

fn scan_serial<T: Element>(x: &[T], y: &mut [T]) {
    scan_from(T::Sum::default(), x, y);
}

fn scan_from<T: Element>(mut sum: T::Sum, x: &[T], y: &mut [T]) {
    for (&x, y) in x.iter().zip(y) {
        sum = T::add(sum, x);
        *y = T::round(sum);
    }
}

/// Each chunk's sum, the sums of all chunks before each, then each chunk from there.
fn scan_rayon<T: Element>(x: &[T], y: &mut [T]) {
    // Four chunks a thread even out their speeds; fewer elements than 2^14 are not worth a task.
    let chunk = x
        .len()
        .div_ceil(4 * rayon::current_num_threads())
        .max(1 << 14);
    let mut sums: Vec<T::Sum> = x
        .par_chunks(chunk)
        .map(|x| x.iter().fold(T::Sum::default(), |sum, &x| T::add(sum, x)))
        .collect();
    let mut before = T::Sum::default();
    for sum in &mut sums {
        let next = T::join(before, *sum);
        *sum = before;
        before = next;
    }
    x.par_chunks(chunk)
        .zip(y.par_chunks_mut(chunk))
        .zip(sums)
        .for_each(|((x, y), before)| scan_from(before, x, y));
}

/// 15 samples, fewer (at least 5) once they took two seconds. Short runs are repeated, because the
/// clock has a grain: a sample lasts 20 microseconds at least.
fn measure(mut run: impl FnMut()) -> Vec<Duration> {
    run();
    let start = Instant::now();
    run();
    let once = start.elapsed().max(Duration::from_nanos(10));
    let repeats = (20_000 / once.as_nanos()).clamp(1, 1000) as u32;

    let mut samples = Vec::new();
    let start = Instant::now();
    while samples.len() < 15 && (samples.len() < 5 || start.elapsed() < Duration::from_secs(2)) {
        let start = Instant::now();
        for _ in 0..repeats {
            run();
        }
        samples.push(start.elapsed() / repeats);
    }
    samples
}
