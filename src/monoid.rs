//! Operators: an associative combination and its identity, for the host and the device at once.

use std::borrow::Cow;

use crate::element::{Element, Number};

/// An associative operator on `T` with an identity: its Rust and its WGSL as one object.
///
/// The operator need not be commutative: the left argument is always the one that came first. Both texts
/// must compute the same function; [`crate::Device::cpu`] runs the Rust one, every GPU the WGSL one.
///
/// ```
/// use std::borrow::Cow;
///
/// #[derive(Clone)]
/// struct Max;
///
/// impl gpuscan::Monoid<u32> for Max {
///     fn identity(&self) -> u32 {
///         0
///     }
///     fn combine(&self, left: u32, right: u32) -> u32 {
///         left.max(right)
///     }
///     fn wgsl(&self) -> Cow<'static, str> {
///         "fn identity() -> T { return 0u; }
///          fn combine(left: T, right: T) -> T { return max(left, right); }"
///             .into()
///     }
/// }
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = gpuscan::Device::new()?;
/// let input = device.upload(&[3u32, 1, 7, 0, 4])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, Max).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [3, 3, 7, 7, 7]);
/// # Ok(())
/// # }
/// ```
pub trait Monoid<T: Element>: Clone + Send + Sync + 'static {
    /// The element that changes nothing it is combined with. Only the first result of an exclusive scan
    /// and the textbook algorithms use it.
    fn identity(&self) -> T;

    /// `left` ⊕ `right`, where `left` came first.
    fn combine(&self, left: T, right: T) -> T;

    /// Declares `fn identity() -> T` and `fn combine(left: T, right: T) -> T` in WGSL, where `T` is the
    /// element type. Further functions and constants may stand beside them.
    fn wgsl(&self) -> Cow<'static, str>;

    /// Defines `__device__ T identity()` and `__device__ T combine(T left, T right)` in CUDA C++, for the
    /// `cuda` feature. Without it, scans with this operator on a CUDA device are an error.
    fn cuda(&self) -> Option<Cow<'static, str>> {
        None
    }
}

/// Addition: integers wrap around, floats round to nearest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum;

impl<T: Number> Monoid<T> for Sum {
    #[inline(always)]
    fn identity(&self) -> T {
        T::ZERO
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        left.plus(right)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        include_str!("../shaders/monoid/sum.wgsl").into()
    }

    fn cuda(&self) -> Option<Cow<'static, str>> {
        Some(include_str!("../shaders/cuda/monoid/sum.cu").into())
    }
}
