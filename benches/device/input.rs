//! The input of every program that is compared: a hash of the index (`benches/peers/README.md`).

use gpuscan::Element;

/// An element type with its input.
pub trait Input: Element {
    /// What results call it.
    const NAME: &'static str;

    /// Element `i` of the input.
    fn at(i: u32) -> Self;
}

fn mix(i: u32) -> u32 {
    let mut x = i.wrapping_mul(0x9E37_79B9).wrapping_add(0x85EB_CA6B);
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

impl Input for u32 {
    const NAME: &'static str = "u32";

    fn at(i: u32) -> u32 {
        mix(i)
    }
}

impl Input for i32 {
    const NAME: &'static str = "i32";

    fn at(i: u32) -> i32 {
        mix(i) as i32
    }
}

impl Input for f32 {
    const NAME: &'static str = "f32";

    fn at(i: u32) -> f32 {
        (mix(i) >> 8) as f32 / (1 << 24) as f32
    }
}

pub fn values<T: Input>(n: usize) -> Vec<T> {
    use rayon::prelude::*;
    // From 2^32 on it begins anew.
    (0..n).into_par_iter().map(|i| T::at(i as u32)).collect()
}

/// Floats are compared as the bits they are.
pub fn same_bits<T: Element>(a: &[T], b: &[T]) -> bool {
    bytemuck::cast_slice::<T, u8>(a) == bytemuck::cast_slice::<T, u8>(b)
}
