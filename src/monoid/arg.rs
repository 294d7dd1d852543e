//! Where the smallest and the largest are.

use std::borrow::Cow;

use super::{Monoid, Ordered, shader, text};
use crate::element::{Element, Layout};

/// A value and its place: an element of [`ArgMin`] and [`ArgMax`].
pub trait Indexed: Element {
    /// The value's type.
    type Value: Ordered;

    /// `value` at `index`.
    fn new(value: Self::Value, index: u32) -> Self;

    /// The value.
    fn value(self) -> Self::Value;

    /// Its place.
    fn index(self) -> u32;

    /// Every value with its place, from 0 on.
    fn number(values: &[Self::Value]) -> Vec<Self> {
        (0..).zip(values).map(|(index, &value)| Self::new(value, index)).collect()
    }
}

macro_rules! indexed {
    ($($name:ident: $type:ty;)*) => {
        $(#[doc = concat!("A `", stringify!($type), "` and its place.")]
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        pub struct $name {
            /// The value.
            pub value: $type,
            /// Its place. `u32::MAX` stands for no place at all.
            pub index: u32,
        }

        impl $name {
            /// Every value with its place, from 0 on.
            pub fn number(values: &[$type]) -> Vec<Self> {
                Indexed::number(values)
            }
        }

        impl Element for $name {
            const LAYOUT: Layout =
                Layout::structure(stringify!($name), &[("value", <$type>::LAYOUT), ("index", u32::LAYOUT)]);
        }

        impl Indexed for $name {
            type Value = $type;

            #[inline(always)]
            fn new(value: $type, index: u32) -> Self {
                Self { value, index }
            }

            #[inline(always)]
            fn value(self) -> $type {
                self.value
            }

            #[inline(always)]
            fn index(self) -> u32 {
                self.index
            }
        })*
    };
}

indexed! {
    IndexedU32: u32;
    IndexedI32: i32;
    IndexedF32: f32;
}

/// The largest value so far and where it is; of equal ones the first. A NaN wins over every number, and of
/// several NaNs that differ their bits decide.
///
/// ```
/// use gpuscan::{Device, GpuScan, IndexedF32};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = Device::cpu();
/// let input = device.upload(&IndexedF32::number(&[2.0, 5.0, 1.0, 5.0]))?;
/// let output = GpuScan::with_monoid(&device, gpuscan::ArgMax).inclusive(&input)?;
/// let places: Vec<u32> = output.to_vec()?.iter().map(|found| found.index).collect();
/// assert_eq!(places, [0, 1, 1, 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArgMax;

impl<T: Indexed> Monoid<T> for ArgMax {
    #[inline(always)]
    fn identity(&self) -> T {
        T::new(T::Value::LOWEST, u32::MAX)
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        let tie = !left.value().is_above(right.value()) && right.index() < left.index();
        if right.value().is_above(left.value()) || tie { right } else { left }
    }

    fn wgsl(&self) -> Cow<'static, str> {
        let identity = Monoid::<T>::identity(self);
        text(identity, &[T::Value::ORDER, shader!("arg_max.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}

/// The smallest value so far and where it is; of equal ones the first. A NaN wins over every number, and of
/// several NaNs that differ their bits decide.
///
/// ```
/// use gpuscan::{Device, GpuScan, IndexedF32};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = Device::cpu();
/// let input = device.upload(&IndexedF32::number(&[2.0, 5.0, 1.0, 5.0]))?;
/// let output = GpuScan::with_monoid(&device, gpuscan::ArgMin).inclusive(&input)?;
/// let places: Vec<u32> = output.to_vec()?.iter().map(|found| found.index).collect();
/// assert_eq!(places, [0, 0, 2, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArgMin;

impl<T: Indexed> Monoid<T> for ArgMin {
    #[inline(always)]
    fn identity(&self) -> T {
        T::new(T::Value::HIGHEST, u32::MAX)
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        let tie = !left.value().is_below(right.value()) && right.index() < left.index();
        if right.value().is_below(left.value()) || tie { right } else { left }
    }

    fn wgsl(&self) -> Cow<'static, str> {
        let identity = Monoid::<T>::identity(self);
        text(identity, &[T::Value::ORDER, shader!("arg_min.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}
