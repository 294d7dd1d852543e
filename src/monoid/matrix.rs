//! Products of small matrices: recurrences of order two.

use std::borrow::Cow;

use super::{Monoid, shader, text};

/// Products of 2×2 matrices, `[a, b, c, d]` by rows. `f32`, and `u32` modulo 2^32.
///
/// Products are rounded before they are added, so the bits are the same everywhere.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[[1u32, 1, 1, 0]; 4])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::MatrixProduct).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [[1, 1, 1, 0], [2, 1, 1, 1], [3, 2, 2, 1], [5, 3, 3, 2]]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatrixProduct;

/// Row by column.
#[inline(always)]
fn product<T: Copy>(
    left: [T; 4],
    right: [T; 4],
    times: impl Fn(T, T) -> T,
    plus: impl Fn(T, T) -> T,
) -> [T; 4] {
    let entry = |row: usize, column: usize| {
        plus(times(left[2 * row], right[column]), times(left[2 * row + 1], right[2 + column]))
    };
    [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)]
}

impl Monoid<[f32; 4]> for MatrixProduct {
    fn identity(&self) -> [f32; 4] {
        [1.0, 0.0, 0.0, 1.0]
    }

    #[inline(always)]
    fn combine(&self, left: [f32; 4], right: [f32; 4]) -> [f32; 4] {
        product(left, right, |a, b| a * b, |a, b| a + b)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text([1.0f32, 0.0, 0.0, 1.0], &[shader!("matrix_f32.wgsl")])
    }
}

impl Monoid<[u32; 4]> for MatrixProduct {
    fn identity(&self) -> [u32; 4] {
        [1, 0, 0, 1]
    }

    #[inline(always)]
    fn combine(&self, left: [u32; 4], right: [u32; 4]) -> [u32; 4] {
        product(left, right, u32::wrapping_mul, u32::wrapping_add)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text([1u32, 0, 0, 1], &[shader!("matrix_u32.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}
