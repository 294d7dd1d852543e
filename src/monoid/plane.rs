//! Chains of affine maps of the plane: linear recurrences of the second order.

use std::borrow::Cow;

use super::{Monoid, shader, text};
use crate::element::{Element, Layout};

/// x → M·x + v: M by rows, then v.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct PlaneMap<T>(pub [T; 6]);

impl Element for PlaneMap<f32> {
    const LAYOUT: Layout =
        Layout::structure("PlaneMap", &[("m", <[f32; 4]>::LAYOUT), ("v", <[f32; 2]>::LAYOUT)]);
}

impl Element for PlaneMap<u32> {
    const LAYOUT: Layout =
        Layout::structure("PlaneMap", &[("m", <[u32; 4]>::LAYOUT), ("v", <[u32; 2]>::LAYOUT)]);
}

/// One map after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaneChain;

/// `right` after `left`: a row of `right` by each column of `left`, and by its vector.
#[inline(always)]
fn chain<T: Copy>(
    left: PlaneMap<T>,
    right: PlaneMap<T>,
    times: impl Fn(T, T) -> T,
    plus: impl Fn(T, T) -> T,
) -> PlaneMap<T> {
    let ([a, b, c, d, e, f], right) = (left.0, right.0);
    let row = |row: usize, x: T, y: T| plus(times(right[2 * row], x), times(right[2 * row + 1], y));
    let moved = [plus(row(0, e, f), right[4]), plus(row(1, e, f), right[5])];
    PlaneMap([row(0, a, c), row(0, b, d), row(1, a, c), row(1, b, d), moved[0], moved[1]])
}

impl Monoid<PlaneMap<f32>> for PlaneChain {
    fn identity(&self) -> PlaneMap<f32> {
        PlaneMap([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    }

    #[inline(always)]
    fn combine(&self, left: PlaneMap<f32>, right: PlaneMap<f32>) -> PlaneMap<f32> {
        chain(left, right, |a, b| a * b, |a, b| a + b)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(Monoid::<PlaneMap<f32>>::identity(self), &[shader!("plane_f32.wgsl")])
    }
}

impl Monoid<PlaneMap<u32>> for PlaneChain {
    fn identity(&self) -> PlaneMap<u32> {
        PlaneMap([1, 0, 0, 1, 0, 0])
    }

    #[inline(always)]
    fn combine(&self, left: PlaneMap<u32>, right: PlaneMap<u32>) -> PlaneMap<u32> {
        chain(left, right, u32::wrapping_mul, u32::wrapping_add)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(Monoid::<PlaneMap<u32>>::identity(self), &[shader!("plane_u32.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}
