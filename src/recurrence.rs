//! Linear recurrences of the first order.

use std::borrow::Cow;

use crate::{
    buffer::GpuBuffer, device::Device, element::Element, error::Error, map::Map, map::Same, monoid::Affine,
    monoid::Monoid, scan::GpuScan,
};

/// Solves x₍ᵢ₎ = aᵢ·x₍ᵢ₋₁₎ + bᵢ: a scan of affine maps, each applied to the value before the first.
///
/// (G. E. Blelloch, "Prefix sums and their applications", 1990.) In `f32`, or in `u32` modulo 2^32. Moves 8 bytes in
/// and 4 out for each element, in three passes. Higher orders are scans of [`crate::MatrixProduct`], or of an operator of
/// one's own.
///
/// ```
/// use gpuscan::{Device, GpuRecurrence};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// // Half of what was there, and what is new: exponential smoothing.
/// let steps = device.upload(&[[0.5f32, 8.0], [0.5, 0.0], [0.5, 2.0]])?;
/// assert_eq!(GpuRecurrence::new(&device, 4.0f32).solve(&steps)?.to_vec()?, [10.0, 5.0, 4.5]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuRecurrence<T> {
    scan: GpuScan<Affine, Same, Applied<T>>,
}

impl<T: Element> GpuRecurrence<T>
where
    Affine: Monoid<[T; 2]>,
    Applied<T>: Map<[T; 2], T>,
    [T; 2]: Element,
{
    /// Recurrences that begin behind `before`.
    pub fn new(device: &Device, before: T) -> Self {
        Self { scan: GpuScan::with_monoid(device, Affine).mapping_results(Applied(before)) }
    }

    /// Every x, given `[a, b]` for each.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`].
    pub fn solve(&self, steps: &GpuBuffer<[T; 2]>) -> Result<GpuBuffer<T>, Error> {
        self.scan.inclusive(steps)
    }

    /// The same into a buffer as long as `steps`.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive_into`].
    pub fn solve_into(&self, steps: &GpuBuffer<[T; 2]>, output: &GpuBuffer<T>) -> Result<(), Error> {
        self.scan.inclusive_into(steps, output)
    }

    /// Records it into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`GpuScan::encode_inclusive`].
    pub fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        steps: &GpuBuffer<[T; 2]>,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error> {
        self.scan.encode_inclusive(encoder, steps, output)
    }
}

/// An affine map's value there.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Applied<T>(T);

impl Map<[f32; 2], f32> for Applied<f32> {
    fn apply(&self, [a, b]: [f32; 2]) -> f32 {
        a * self.0 + b
    }

    fn wgsl(&self) -> Cow<'static, str> {
        // By its bits: WGSL has no word for infinity.
        format!(
            "var before = {:#x}u;\n    return rounded(value.x * bitcast<f32>(before)) + value.y;",
            self.0.to_bits()
        )
        .into()
    }
}

impl Map<[u32; 2], u32> for Applied<u32> {
    fn apply(&self, [a, b]: [u32; 2]) -> u32 {
        a.wrapping_mul(self.0).wrapping_add(b)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        format!("return value.x * {}u + value.y;", self.0).into()
    }
}
