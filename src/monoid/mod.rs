//! Operators: an associative combination and its identity, for the host and the device at once.
//!
//! One file for each family. An operator's combination is a file under `shaders/monoid/`; its identity is made
//! of the Rust one.

mod affine;
mod arg;
mod bits;
#[cfg(not(target_arch = "wasm32"))]
mod check;
mod compensated;
mod ends;
mod exact;
mod extrema;
mod interval;
mod log_sum_exp;
mod logical;
mod matrix;
mod plane;
mod product;

use std::borrow::Cow;

use crate::element::{Element, Number};
#[cfg(not(target_arch = "wasm32"))]
use crate::{device::Device, error::Error};

pub use affine::Affine;
pub use arg::{ArgMax, ArgMin, Indexed, IndexedF32, IndexedI32, IndexedU32};
pub use bits::{BitAnd, BitOr, BitXor, Bits};
pub use compensated::Compensated;
pub use ends::{First, Last};
pub use exact::{Exact, ExactSum};
pub use extrema::{Max, Min, Ordered};
pub use interval::Intersection;
pub use log_sum_exp::LogSumExp;
pub use logical::{LogicalAnd, LogicalOr};
pub use matrix::MatrixProduct;
pub(crate) use plane::{PlaneChain, PlaneMap};
pub use product::{Factor, Product};

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
    ///
    /// Nothing else: no bindings, no entry points, no variables outside of functions, and no names that kernels
    /// use themselves. `rounded(x: f32) -> f32` is there to be called: no compiler fuses what it returns into the
    /// next operation, so `rounded(a * b) + c` has the bits of Rust's `a * b + c`. And `rounded_sum(x: f32, y: f32) -> f32`:
    /// no compiler takes apart again what it added, so `rounded_sum(rounded_sum(a, b), -a)` is not `b`.
    fn wgsl(&self) -> Cow<'static, str>;

    /// Defines `__device__ T identity()` and `__device__ T combine(T left, T right)` in CUDA C++, for the
    /// `cuda` feature: scans of one row of `u32`, `i32` or `f32` are then kernels that were written for CUDA, which are
    /// the fastest. Without it, and for everything else, the WGSL text is translated.
    fn cuda(&self) -> Option<Cow<'static, str>> {
        None
    }

    /// Whether `combine` is associative to the last bit: `(a ⊕ b) ⊕ c` and `a ⊕ (b ⊕ c)` are the same bits for all
    /// values that occur, as they are for integers, but not for sums of floats.
    ///
    /// Any grouping then gives the bits of the canonical order, so kernels need not go through its levels, and combine
    /// less than a third as often. Results are the same, and sooner there where combining takes the time. With a promise
    /// that does not hold they would depend on the device; [`Monoid::check`] looks for values that break it.
    ///
    /// ```
    /// use gpuscan::{Max, Monoid, Sum};
    ///
    /// assert!(Monoid::<u64>::regroups(&Sum) && Monoid::<f32>::regroups(&Max));
    /// assert!(!Monoid::<f32>::regroups(&Sum));
    /// ```
    fn regroups(&self) -> bool {
        false
    }

    /// Whether scans go by runs of [`RUN`](crate::order::RUN) elements: what precedes a run is combined in the
    /// canonical order, then the run's elements follow one after the other.
    ///
    /// That is two to three combinations for each element where the canonical order takes twelve: for operators that take
    /// the time and do not [regroup](Monoid::regroups), as [`Compensated`] does. Results are the same bits on every
    /// device all the same, but they have two properties less. Where the operator rounds, a result may be less than the one
    /// before it, from one run to the next. And the last result may differ from [`GpuReduce`](crate::GpuReduce)'s total,
    /// which is of the canonical order in any case, and so may the first exclusive result of a run from the inclusive
    /// one before it.
    fn by_runs(&self) -> bool {
        false
    }

    /// The same on keys, where values have `u32` keys in their order: declares in WGSL `fn key_of(value: Value) -> T` and
    /// `fn value_of(key: T) -> Value`, which undo each other, and `identity` and `combine` on keys, where `T` is `u32` and
    /// `Value` the element type. Plain scans and totals then make a key of a value once, not in each combination.
    #[doc(hidden)]
    fn keyed(&self) -> Option<Cow<'static, str>> {
        None
    }

    /// The operator with these maps' texts on runs of elements as they lie in memory, if it has a text for that
    /// (`shaders/monoid/exact_runs.wgsl`).
    #[doc(hidden)]
    fn windows(&self, _map_in: &str, _map_out: &str) -> Option<&'static str> {
        None
    }

    /// The operator itself, once naga has taken its WGSL: for where it is made, before there is a device. Scans check it
    /// as well, when they compile. Takes a millisecond or two. Not in browsers, which have compilers of their own.
    ///
    /// ```
    /// # use std::borrow::Cow;
    /// # #[derive(Clone, Debug)]
    /// # struct Max;
    /// # impl gpuscan::Monoid<u32> for Max {
    /// #   fn identity(&self) -> u32 { 0 }
    /// #   fn combine(&self, left: u32, right: u32) -> u32 { left.max(right) }
    ///     fn wgsl(&self) -> Cow<'static, str> {
    ///         "fn identity() -> T { return 0u; }
    ///          fn combine(left: T, right: T) -> T { return max(left, rihgt); }"
    ///             .into()
    ///     }
    /// # }
    /// # use gpuscan::Monoid as _;
    /// let error = Max.checked().unwrap_err().to_string();
    /// assert!(error.contains("operator:2:64"), "{error}");
    /// assert!(error.contains("rihgt"), "{error}");
    /// ```
    ///
    /// # Errors
    /// [`Error::Shader`] with the line and column of the fault in that text; [`Error::Operator`] if it is more than
    /// functions and constants, or has a name that kernels use.
    #[cfg(not(target_arch = "wasm32"))]
    fn checked(self) -> Result<Self, Error> {
        crate::kernel::check_operator(&crate::kernel::Operator::plain::<T, _>(&self))?;
        Ok(self)
    }

    /// Tests on values drawn by the element's layout that the operator is associative, that its identity is
    /// one, and that its WGSL gives what its Rust gives, bit by bit, on `device`.
    ///
    /// Integers are drawn from all of their type, floats from the whole numbers from −8 to 8: sums and products
    /// of these are exact, so rounding does not get in the way of associativity. An operator that
    /// [regroups](Monoid::regroups) gets floats of any digits, and has to give the same bits. One that takes only some
    /// values, or f64 in a struct, is better off with [`Monoid::check_on`].
    ///
    /// ```
    /// # use std::borrow::Cow;
    /// #[derive(Clone)]
    /// struct Difference;
    ///
    /// impl gpuscan::Monoid<i32> for Difference {
    /// #   fn identity(&self) -> i32 { 0 }
    ///     fn combine(&self, left: i32, right: i32) -> i32 {
    ///         left.wrapping_sub(right)
    ///     }
    ///     // …
    /// #   fn wgsl(&self) -> Cow<'static, str> { "".into() }
    /// }
    ///
    /// use gpuscan::Monoid as _;
    /// let error = Difference.check(&gpuscan::Device::cpu()).unwrap_err();
    /// assert!(error.to_string().contains("found e ⊕ x = "), "{error}");
    /// ```
    ///
    /// # Errors
    /// [`Error::Operator`] with the values for which a law does not hold, and those of a scan.
    #[cfg(not(target_arch = "wasm32"))]
    fn check(&self, device: &Device) -> Result<(), Error> {
        check::check(self, device, &check::samples(self.regroups())?)
    }

    /// The same on `samples`, and on combinations of them.
    ///
    /// # Errors
    /// As for [`Monoid::check`].
    #[cfg(not(target_arch = "wasm32"))]
    fn check_on(&self, device: &Device, samples: &[T]) -> Result<(), Error> {
        check::check(self, device, samples)
    }
}

/// Addition: integers wrap around, floats round to nearest. Counting is adding ones:
/// [`NonZero`](crate::NonZero) makes them.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let flags = device.upload(&[1u8, 0, 1, 1])?;
/// let counts = gpuscan::GpuScan::new(&device).mapping(gpuscan::NonZero).inclusive(&flags)?;
/// assert_eq!(counts.to_vec()?, [1, 1, 2, 3]);
/// # Ok(())
/// # }
/// ```
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
        T::PLUS.into()
    }

    fn cuda(&self) -> Option<Cow<'static, str>> {
        Some(include_str!("../../shaders/cuda/monoid/sum.cu").into())
    }

    fn regroups(&self) -> bool {
        T::REGROUPS
    }
}

/// `fn name() -> T` that returns `value`, bit by bit. From variables: WGSL takes no infinity for a constant.
fn constant<T: Element>(name: &str, value: T) -> String {
    let mut variables = String::new();
    let mut names = Vec::new();
    for (i, bytes) in bytemuck::bytes_of(&value).chunks(4).enumerate() {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        variables += &format!("    var w{i} = {:#x}u;\n", u32::from_le_bytes(word));
        names.push(format!("w{i}"));
    }
    format!(
        "fn {name}() -> T {{\n{variables}    return {};\n}}\n",
        T::LAYOUT.of_words(&mut names.into_iter())
    )
}

/// An operator's whole text: its identity, and what else it declares.
fn text<T: Element>(identity: T, rest: &[&str]) -> Cow<'static, str> {
    (constant("identity", identity) + &rest.concat()).into()
}

/// A file under `shaders/monoid/`.
macro_rules! shader {
    ($($path:tt)+) => {
        include_str!(concat!("../../shaders/monoid/", $($path)+))
    };
}
use shader;
