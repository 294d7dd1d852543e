//! Options, the common input, the check and the rows.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;
use serde::Serialize;

#[derive(clap::Parser)]
pub struct Options {
    #[arg(long, default_value_t = 8)]
    min_log2: u32,
    #[arg(long, default_value_t = 28)]
    max_log2: u32,
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    #[arg(long, value_delimiter = ',', default_value = "u32,f32")]
    elements: Vec<String>,
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "cpu,lampshade,lampshade-sort,massively"
    )]
    peers: Vec<String>,
    #[arg(long, default_value = "rows.json")]
    pub out: PathBuf,
}

impl Options {
    /// Powers of two, and 10^8 where it falls between them: a size that is no power of two.
    pub fn sizes(&self) -> Vec<usize> {
        let powers = (self.min_log2..=self.max_log2).step_by(self.step as usize);
        let mut sizes: Vec<usize> = powers.map(|log2| 1 << log2).collect();
        let hundred_million = 100_000_000;
        if sizes[0] < hundred_million && hundred_million < sizes[sizes.len() - 1] {
            sizes.push(hundred_million);
            sizes.sort_unstable();
        }
        sizes
    }

    pub fn largest(&self) -> usize {
        self.sizes()[self.sizes().len() - 1]
    }

    pub fn wants_element(&self, element: &str) -> bool {
        self.elements.iter().any(|wanted| wanted == element)
    }

    pub fn wants_peer(&self, peer: &str) -> bool {
        self.peers.iter().any(|wanted| wanted == peer)
    }
}

/// The hash of the index that is every program's input.
pub fn mix(i: u32) -> u32 {
    let mut x = i.wrapping_mul(0x9E37_79B9).wrapping_add(0x85EB_CA6B);
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

/// The largest relative error that a sum of floats may have; README.md says why this one.
const TOLERANCE: f64 = 1e-4;

pub trait Element: Copy + Default + PartialEq + Send + Sync + 'static {
    const NAME: &str;
    /// What sums are kept in: the element itself for integers, f64 for f32.
    type Sum: Copy + Default + Send + Sync;

    fn at(i: u32) -> Self;
    fn add(sum: Self::Sum, x: Self) -> Self::Sum;
    fn join(left: Self::Sum, right: Self::Sum) -> Self::Sum;
    fn round(sum: Self::Sum) -> Self;
    fn right(got: Self, want: Self::Sum) -> bool;
}

impl Element for u32 {
    const NAME: &str = "u32";
    type Sum = u32;

    fn at(i: u32) -> u32 {
        mix(i)
    }
    fn add(sum: u32, x: u32) -> u32 {
        sum.wrapping_add(x)
    }
    fn join(left: u32, right: u32) -> u32 {
        left.wrapping_add(right)
    }
    fn round(sum: u32) -> u32 {
        sum
    }
    fn right(got: u32, want: u32) -> bool {
        got == want
    }
}

impl Element for f32 {
    const NAME: &str = "f32";
    type Sum = f64;

    fn at(i: u32) -> f32 {
        (mix(i) >> 8) as f32 / (1 << 24) as f32
    }
    // Every input is a multiple of 2^-24 below 1: sums of fewer than 2^29 of them are exact in f64.
    fn add(sum: f64, x: f32) -> f64 {
        sum + f64::from(x)
    }
    fn join(left: f64, right: f64) -> f64 {
        left + right
    }
    fn round(sum: f64) -> f32 {
        sum as f32
    }
    fn right(got: f32, want: f64) -> bool {
        // A NaN is not right. 2^-24 is the smallest prefix that is not zero.
        (f64::from(got) - want).abs() <= TOLERANCE * want.max(2f64.powi(-24))
    }
}

/// The input and its inclusive prefixes. The first n of both serve every size up to the largest.
pub struct Data<T: Element> {
    pub input: Vec<T>,
    prefixes: Vec<T::Sum>,
}

impl<T: Element> Data<T> {
    pub fn new(n: usize) -> Self {
        let input: Vec<T> = (0..n as u32).into_par_iter().map(T::at).collect();
        let mut sum = T::Sum::default();
        let mut prefixes = Vec::with_capacity(n);
        for &x in &input {
            sum = T::add(sum, x);
            prefixes.push(sum);
        }
        Data { input, prefixes }
    }

    /// Whether `got` holds the inclusive prefixes from `start` on.
    pub fn right(&self, start: usize, got: &[T]) -> bool {
        let want = &self.prefixes[start..start + got.len()];
        let right = |(&got, &want)| T::right(got, want);
        got.par_iter().zip(want).all(right)
    }
}

/// One line of the result format.
#[derive(Serialize)]
pub struct Row {
    pub primitive: &'static str,
    pub element: &'static str,
    pub algorithm: String,
    pub backend: String,
    pub peer: String,
    pub n: usize,
    pub median_us: f64,
    pub min_us: f64,
    pub max_us: f64,
    pub bytes: usize,
    pub checked: bool,
}

impl Row {
    /// The row of an inclusive sum from its samples.
    pub fn new<T: Element>(
        who: (&str, String, &str),
        n: usize,
        samples: Vec<Duration>,
        checked: bool,
    ) -> Self {
        Self::of::<T>("inclusive_sum", who, n, samples, checked)
    }

    /// The row of any task.
    pub fn of<T: Element>(
        primitive: &'static str,
        (peer, algorithm, backend): (&str, String, &str),
        n: usize,
        mut samples: Vec<Duration>,
        checked: bool,
    ) -> Self {
        samples.sort_unstable();
        let us = |at: usize| samples[at].as_nanos() as f64 / 1e3;
        Row {
            primitive,
            element: T::NAME,
            algorithm,
            backend: backend.to_owned(),
            peer: peer.to_owned(),
            n,
            median_us: us(samples.len() / 2),
            min_us: us(0),
            max_us: us(samples.len() - 1),
            bytes: 2 * n * size_of::<T>(),
            checked,
        }
    }
}

/// One row a line: run.sh joins the files by lines.
pub fn write(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let lines: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
    fs::write(path, format!("[\n{}\n]\n", lines?.join(",\n")))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mix_gives_the_numbers_of_the_readme() {
        assert_eq!(
            [mix(0), mix(1), mix(2)],
            [0x1efe_e872, 0xe577_f3aa, 0x14d6_6e37]
        );
        assert_eq!(mix(100_000_000), 0xd4e6_fe09);
        let integers = Data::<u32>::new(1 << 16);
        assert_eq!(integers.prefixes.last(), Some(&2_669_088_341));
        let floats = Data::<f32>::new(1 << 16);
        assert_eq!(floats.prefixes.last(), Some(&32_693.619_511_544_704));
    }
}
