//! Operators written once: what [`monoid`](macro@crate::monoid) and [`function`](macro@crate::function) make
//! of a Rust function.
//!
//! The attributes rewrite a function twice. The first copy stays Rust: `a + b` becomes
//! [`add::host`]`(a, b)`. The second copy builds text: there `a + b` becomes [`add::text`]`(a, b)`, and every
//! variable is an [`Expr`] of the type it has in the first copy. So Rust's own type inference knows every type
//! that the WGSL and the CUDA C++ need, down to those of literals, and what an operation lacks a translation for is
//! an error of the type checker at the place where it is written.
//!
//! Every operation is a module here, with one line for each type it takes: what it does in Rust, in WGSL and in
//! CUDA C++. Nobody has to call them by hand.
//!
//! # What operations mean
//!
//! Both sides compute the same, bit by bit, and neither ever panics. Where Rust's operators would panic, or where
//! WGSL leaves a choice, this is what they do:
//!
//! | operation | on every side |
//! |---|---|
//! | `+`, `-`, `*`, unary `-`, `abs` of integers | wrap around |
//! | `a / 0`, `a % 0` of integers | `a`, and 0 |
//! | `i32::MIN / -1`, `i32::MIN % -1` | `i32::MIN`, and 0 |
//! | `a << b`, `a >> b` | by `b % 32`; `b` is a `u32`; `>>` of an `i32` copies the sign |
//! | `min`, `max` of floats | the other one, if one is NaN; −0 is less than +0 |
//! | `clamp` | `self.max(low).min(high)` of integers; a NaN stays a NaN; the bounds must not be NaN |
//! | `f32 as u32`, `f32 as i32` | as in Rust: towards zero, saturating, NaN to 0 |
//! | `u32 as i32` and back | the same bits |
//! | `a * b + c` of floats | two roundings: the product goes through `rounded`, which no driver fuses |
//!
//! WGSL lets a device flush subnormal floats to zero, and assume that a comparison (`<`, `==`) sees no NaN. `min`,
//! `max`, `clamp`, `is_nan` and casts look at the bits and depend on neither.
//!
//! `f32` division, remainder, `sqrt`, `exp`, `exp2`, `ln`, `log2`, `powf`, `sin` and `cos` are rounded differently
//! from device to device. They need the flag `approximate`, which gives up equal bits for that operator.
//!
//! # What the type checker refuses
//!
//! A macro sees no types. What depends on them is refused a little later, by Rust itself.
//!
//! Floats are divided only where `approximate` says so:
//!
//! ```compile_fail,E0277
//! #[gpuscan::function]
//! fn mean(a: f32, b: f32) -> f32 {
//!     (a + b) / 2.0 // `/` takes u32 and i32, not f32: devices round …
//! }
//! ```
//!
//! The same goes for what calls such a function:
//!
//! ```compile_fail,E0080
//! #[gpuscan::function(approximate)]
//! fn mean(a: f32, b: f32) -> f32 {
//!     (a + b) / 2.0
//! }
//!
//! #[gpuscan::function] // this function is `approximate`: what calls it has to be, too
//! fn mean_of_four(a: f32, b: f32, c: f32, d: f32) -> f32 {
//!     mean(mean(a, b), mean(c, d))
//! }
//! ```
//!
//! A function without a translation cannot be called:
//!
//! ```compile_fail,E0433
//! fn half(x: u32) -> u32 {
//!     x / 2
//! }
//!
//! #[gpuscan::function]
//! fn quarter(x: u32) -> u32 {
//!     half(half(x)) // cannot find `half`: it lacks #[function]
//! }
//! ```
//!
//! Constants of other types are no values on a device:
//!
//! ```compile_fail,E0277
//! const LIMIT: u64 = 3;
//!
//! #[gpuscan::function]
//! fn is_above(x: u32) -> bool {
//!     x > LIMIT as u32 // there is no translation for values of type u64
//! }
//! ```
//!
//! A field of a struct has to be an element, too:
//!
//! ```compile_fail,E0277
//! #[derive(Clone, Copy)]
//! struct Colour(u32);
//!
//! #[repr(C)]
//! #[derive(gpuscan::Element)]
//! struct Pixel {
//!     colour: Colour,
//! }
//! ```

mod code;
mod expr;
mod helpers;
mod operations;
mod value;

pub use code::{Code, Function, Translation, monoid};
pub use expr::{Construct, Expr, Text, array, constant, construct, field, index};
pub use operations::*;
pub use value::Value;
