//! The attributes and the derive of `gpuscan-macros`, with examples that run.

/// Implements [`Element`](trait@crate::Element) for a `#[repr(C)]` struct, so that buffers can hold it and operators combine it.
///
/// Fields may be `u32`, `i32`, `f32`, `u64`, `i64`, `f64`, arrays of two to four 32-bit numbers, and structs that are
/// elements themselves. The struct has the same name and the same fields in WGSL and CUDA C++, so names that are
/// reserved there are refused, as are generic structs, tuple structs, and structs without `#[repr(C)]`.
///
/// ```
/// use gpuscan::{Element, bytemuck::{Pod, Zeroable}};
///
/// /// x ↦ slope · x + offset
/// #[repr(C)]
/// #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Element)]
/// #[bytemuck(crate = "gpuscan::bytemuck")]
/// struct Affine {
///     slope: f32,
///     offset: f32,
/// }
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = gpuscan::Device::new()?;
/// let buffer = device.upload(&[Affine { slope: 2.0, offset: 1.0 }])?;
/// assert_eq!(buffer.len(), 1);
/// # Ok(())
/// # }
/// ```
pub use gpuscan_macros::Element;

/// Makes an operator of an associative function: `#[monoid(identity = VALUE)]` on `fn name(left: T, right: T) -> T`.
///
/// The operator is a unit struct named like the function in UpperCamelCase, or `#[monoid(Name, identity = …)]`. It
/// implements [`Monoid`](crate::Monoid)`<T>`: the function itself is what the CPU runs, and its WGSL and CUDA C++ are made from the
/// same text. The identity is any Rust expression.
///
/// ```
/// use gpuscan::{Device, Element, GpuScan, bytemuck::{Pod, Zeroable}, monoid};
///
/// /// x ↦ slope · x + offset
/// #[repr(C)]
/// #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Element)]
/// #[bytemuck(crate = "gpuscan::bytemuck")]
/// struct Affine {
///     slope: f32,
///     offset: f32,
/// }
///
/// /// First `left`, then `right`.
/// #[monoid(identity = Affine { slope: 1.0, offset: 0.0 })]
/// fn compose(left: Affine, right: Affine) -> Affine {
///     Affine { slope: right.slope * left.slope, offset: right.slope * left.offset + right.offset }
/// }
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let steps = vec![Affine { slope: 0.5, offset: 1.0 }; 4];
/// let states = GpuScan::with_monoid(&device, Compose).inclusive(&device.upload(&steps)?)?;
/// let last = states.to_vec()?[3];
/// assert_eq!(last, Affine { slope: 0.0625, offset: 1.875 });
/// # Ok(())
/// # }
/// ```
///
/// # What a function may hold
///
/// | | |
/// |---|---|
/// | types | `u32`, `i32`, `f32`, `bool`, arrays of two to four numbers, structs that derive `Element` |
/// | statements | `let`, `let mut`, `=`, `+=` and its like, `if`, blocks, `return` |
/// | operators | `+ - * / %`, `& \| ^ ! << >>`, `< <= > >= == !=`, `&& \|\|`, unary `-` |
/// | expressions | literals, constants of any kind (`f32::INFINITY`, `LIMIT`), fields, array elements by a constant index, struct literals, array literals, `if … else …`, `as`, calls of functions with [`macro@function`] |
/// | methods | `min max clamp abs`, `wrapping_add wrapping_sub wrapping_mul`, `saturating_add saturating_sub`, `count_ones leading_zeros trailing_zeros`, `floor ceil trunc is_nan to_bits`, and `f32::from_bits` |
/// | methods with `approximate` | `sqrt exp exp2 ln log2 powf sin cos`, and `/` and `%` of floats |
///
/// Everything else is a compile error where it stands. [`translation`](crate::translation) says what an operation does where Rust would
/// panic: integers wrap around, in debug builds too, because the host has to agree with the device.
///
/// `#[monoid(identity = …, regroups)]` promises that any grouping of operands gives the same bits:
/// [`Monoid::regroups`](crate::Monoid::regroups). `by_runs` in its place asks for fewer combinations in an order of
/// their own: [`Monoid::by_runs`](crate::Monoid::by_runs).
///
/// ```
/// use gpuscan::{Monoid as _, monoid};
///
/// #[monoid(identity = 0, regroups)]
/// fn greatest(left: u32, right: u32) -> u32 {
///     left.max(right)
/// }
///
/// assert!(Greatest.regroups());
/// ```
///
/// `#[monoid(identity = …, approximate)]` admits operations that devices round differently. Such an operator's results
/// are close to one another on different devices, but not equal.
///
/// ```
/// use gpuscan::{Device, GpuScan, monoid};
///
/// /// ln(eˡ + eʳ), without overflow.
/// #[monoid(identity = f32::NEG_INFINITY, approximate)]
/// fn log_sum_exp(left: f32, right: f32) -> f32 {
///     let most = left.max(right);
///     if most == f32::NEG_INFINITY {
///         return most;
///     }
///     most + ((left - most).exp() + (right - most).exp()).ln()
/// }
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let logs = GpuScan::with_monoid(&device, LogSumExp).inclusive(&device.upload(&[1.0f32, 1.0, 1.0])?)?.to_vec()?;
/// assert!((logs[2] - (1.0 + 3f32.ln())).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
pub use gpuscan_macros::monoid;

/// Makes a function that operators, and other such functions, can call.
///
/// It stays the Rust function that it is, with the arithmetic of [`translation`](crate::translation), and may hold what
/// [`macro@monoid`] lists. `#[function(approximate)]` admits operations that devices round differently; what calls it has to
/// be `approximate`, too.
///
/// ```
/// use gpuscan::{Device, GpuScan, function, monoid};
///
/// #[function]
/// fn greatest_common_power_of_two(a: u32, b: u32) -> u32 {
///     1 << (a | b).trailing_zeros()
/// }
///
/// #[monoid(identity = 0)]
/// fn common_power(left: u32, right: u32) -> u32 {
///     if left == 0 || right == 0 { left | right } else { greatest_common_power_of_two(left, right) }
/// }
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let powers = GpuScan::with_monoid(&device, CommonPower).inclusive(&device.upload(&[8u32, 12, 6])?)?;
/// assert_eq!(powers.to_vec()?, [8, 4, 2]);
/// # Ok(())
/// # }
/// ```
pub use gpuscan_macros::function;
