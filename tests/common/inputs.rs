//! Inputs, each value a hash of its place: the same in every run, on every machine.

use gpuscan::Number;

/// A well-mixed function of its argument (the finaliser of SplitMix64).
pub fn hash(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Hashes for a seed: one stream for each.
pub fn hashes(seed: u64) -> impl Iterator<Item = u64> {
    let seed = hash(seed);
    (0..).map(move |i| hash(seed ^ i))
}

/// `len` values that are awkward for the type: all bits of integers, floats of mixed sign and magnitude.
pub fn values<T: Sample>(seed: u64, len: usize) -> Vec<T> {
    hashes(seed).take(len).map(T::sample).collect()
}

/// An element type with inputs for the tests.
pub trait Sample: Number {
    const NAME: &'static str;

    /// A value made from 64 random bits.
    fn sample(bits: u64) -> Self;
}

impl Sample for u32 {
    const NAME: &'static str = "u32";

    fn sample(bits: u64) -> Self {
        bits as u32
    }
}

impl Sample for i32 {
    const NAME: &'static str = "i32";

    fn sample(bits: u64) -> Self {
        bits as i32
    }
}

impl Sample for f32 {
    const NAME: &'static str = "f32";

    /// Magnitudes from 2^-20 to 2^20, so that nearly every sum is rounded, and another parenthesisation
    /// gives other bits; now and then a zero of either sign.
    fn sample(bits: u64) -> Self {
        let exponent = (bits >> 32) as i32 % 41 - 20;
        let sign = if bits & 1 == 0 { 1.0 } else { -1.0 };
        match (bits >> 8) & 0x3f {
            0 => sign * 0.0,
            _ => sign * (1.0 + (bits as u32 >> 9) as f32 / (1 << 23) as f32) * (exponent as f32).exp2(),
        }
    }
}

/// Uniform in [0, 1), every multiple of 2^-24.
pub fn uniform(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1 << 24) as f32
}

/// Normally distributed (Box and Muller's transform).
pub fn normal(bits: u64) -> f32 {
    let radius = (-2.0 * (1.0 - uniform(bits)).ln()).sqrt();
    radius * (std::f32::consts::TAU * uniform(bits << 24)).cos()
}

/// Exponentially distributed.
pub fn exponential(bits: u64) -> f32 {
    -(1.0 - uniform(bits)).ln()
}
