//! The first and the last value that is there.

use std::borrow::Cow;

use super::{Monoid, text};
use crate::element::Element;

#[inline(always)]
fn same<T: Element>(a: &T, b: &T) -> bool {
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b)
}

/// `combine` that returns its argument `preferred` unless that is the identity, bit by bit.
fn choice<T: Element>(preferred: &str, other: &str) -> String {
    let differs: Vec<String> = T::LAYOUT
        .words_of(preferred)
        .into_iter()
        .zip(T::LAYOUT.words_of("nothing"))
        .map(|(word, nothing)| format!("{word} != {nothing}"))
        .collect();
    format!(
        "fn combine(left: T, right: T) -> T {{\n    let nothing = identity();\n    \
         if {} {{\n        return {preferred};\n    }}\n    return {other};\n}}\n",
        differs.join(" || ")
    )
}

/// The first value so far that is not the one given, which stands for nothing. All bits of a value count: a NaN that stands for nothing is one certain NaN.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[0u32, 3, 0, 4])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::First(0)).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [0, 3, 3, 3]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct First<T>(
    /// What stands for nothing.
    pub T,
);

impl<T: Element> Monoid<T> for First<T> {
    #[inline(always)]
    fn identity(&self) -> T {
        self.0
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        if same(&left, &self.0) { right } else { left }
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(self.0, &[&choice::<T>("left", "right")])
    }

    fn regroups(&self) -> bool {
        true
    }
}

/// The last value so far that is not the one given, which stands for nothing: gaps are filled from the left. All bits of a value count: a NaN that stands for nothing is one certain NaN.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[1u32, 0, 0, 4, 0])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::Last(0)).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [1, 1, 1, 4, 4]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Last<T>(
    /// What stands for nothing.
    pub T,
);

impl<T: Element> Monoid<T> for Last<T> {
    #[inline(always)]
    fn identity(&self) -> T {
        self.0
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        if same(&right, &self.0) { left } else { right }
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(self.0, &[&choice::<T>("right", "left")])
    }

    fn regroups(&self) -> bool {
        true
    }
}
