//! Element types: what a buffer can hold, in Rust and in WGSL.

use std::fmt::Debug;

/// A scalar that buffers hold and scans combine: four bytes, alike on the host and the device.
///
/// Implemented for `u32`, `i32` and `f32`. Sealed: an element needs its own shader text.
pub trait Element: bytemuck::Pod + Debug + PartialEq + Send + Sync + sealed::Sealed + 'static {
    /// The type's name in WGSL.
    const WGSL: &'static str;
}

/// An [`Element`] that can be added: integers wrap around, floats round.
pub trait Number: Element {
    /// The sum of nothing.
    const ZERO: Self;
    /// `self + other`.
    fn plus(self, other: Self) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! number {
    ($type:ty, $zero:expr, $plus:expr) => {
        impl sealed::Sealed for $type {}
        impl Element for $type {
            const WGSL: &'static str = stringify!($type);
        }
        impl Number for $type {
            const ZERO: Self = $zero;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
        }
    };
}

number!(u32, 0, u32::wrapping_add);
number!(i32, 0, i32::wrapping_add);
number!(f32, 0.0, std::ops::Add::add);
