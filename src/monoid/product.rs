//! Products.

use std::borrow::Cow;

use super::{Monoid, shader, text};
use crate::element::Element;

/// An [`Element`] that can be multiplied: integers wrap around, floats round, vectors go component by component.
pub trait Factor: Element {
    /// The product of nothing.
    const ONE: Self;

    /// `self · other`.
    fn times(self, other: Self) -> Self;

    /// `fn combine(left: T, right: T) -> T` in WGSL.
    #[doc(hidden)]
    const TIMES: &'static str = shader!("product.wgsl");

    /// Whether products are the same bits in any grouping.
    #[doc(hidden)]
    const REGROUPS: bool = false;
}

macro_rules! factor {
    ($type:ty, $one:expr, $times:expr, $regroups:literal $(, $wgsl:literal)?) => {
        impl Factor for $type {
            const ONE: Self = $one;
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                $times(self, other)
            }
            $(const TIMES: &'static str = shader!($wgsl);)?
            const REGROUPS: bool = $regroups;
        }
    };
}

factor!(u32, 1, u32::wrapping_mul, true);
factor!(i32, 1, i32::wrapping_mul, true);
factor!(f32, 1.0, std::ops::Mul::mul, false);
factor!(u64, 1, u64::wrapping_mul, true, "product_of_64_bits.wgsl");
factor!(i64, 1, i64::wrapping_mul, true, "product_of_64_bits.wgsl");

macro_rules! vector_factors {
    ($($type:ty: $($len:literal)*;)*) => {
        $($(
            impl Factor for [$type; $len] {
                const ONE: Self = [<$type>::ONE; $len];
                const REGROUPS: bool = <$type>::REGROUPS;
                #[inline(always)]
                fn times(self, other: Self) -> Self {
                    std::array::from_fn(|i| self[i].times(other[i]))
                }
            }
        )*)*
    };
}

vector_factors! {
    u32: 2 3 4;
    i32: 2 3 4;
    f32: 2 3 4;
}

/// Multiplication. A result map that adds to a product of floats should add to `rounded(value)`.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[3u32, 1, 2, 4])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::Product).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [3, 3, 6, 24]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Product;

impl<T: Factor> Monoid<T> for Product {
    #[inline(always)]
    fn identity(&self) -> T {
        T::ONE
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        left.times(right)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(T::ONE, &[T::TIMES])
    }

    fn regroups(&self) -> bool {
        T::REGROUPS
    }
}
