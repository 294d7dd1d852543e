//! Linear recurrences of the first and the second order.

use std::borrow::Cow;

use crate::{
    buffer::GpuBuffer,
    device::Device,
    element::Element,
    error::Error,
    map::{Map, Same},
    monoid::{Affine, Monoid, PlaneChain, PlaneMap},
    scan::GpuScan,
};

/// Solves x₍ᵢ₎ = aᵢ·x₍ᵢ₋₁₎ + bᵢ, or x₍ᵢ₎ = aᵢ·x₍ᵢ₋₁₎ + bᵢ·x₍ᵢ₋₂₎ + cᵢ: a scan of affine maps, each applied to what
/// was before the first.
///
/// (G. E. Blelloch, "Prefix sums and their applications", 1990.) In `f32`, or in `u32` modulo 2^32; what was before,
/// a [`State`], says which order it is. In the second order the maps are of the plane: six words are combined for
/// each element. Moves 8 or 12 bytes in and 4 out for each element, in three passes, so the input is read twice.
/// Higher orders are scans of an operator of one's own.
///
/// Bits are the same on every device. How far floats are from a loop's depends on the coefficients, as it does for
/// a loop: where old values fade away, so do errors.
///
/// ```
/// use gpuscan::{Device, GpuRecurrence};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// // Half of what was there, and what is new: exponential smoothing.
/// let steps = device.upload(&[[0.5f32, 8.0], [0.5, 0.0], [0.5, 2.0]])?;
/// assert_eq!(GpuRecurrence::new(&device, 4.0f32).solve(&steps)?.to_vec()?, [10.0, 5.0, 4.5]);
///
/// // The last two, and nothing new: Fibonacci's numbers behind 1 and, before that, 0.
/// let steps = device.upload(&[[1u32, 1, 0]; 5])?;
/// assert_eq!(GpuRecurrence::new(&device, [1u32, 0]).solve(&steps)?.to_vec()?, [1, 2, 3, 5, 8]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuRecurrence<S: State> {
    scan: GpuScan<S::Chain, S::Link, S::Applied>,
}

/// What a recurrence goes on from: the value before the first, or the last two, `[x₍₋₁₎, x₍₋₂₎]`, the latest first.
///
/// Sealed: `f32` and `u32` for the first order, `[f32; 2]` and `[u32; 2]` for the second.
pub trait State: sealed::State {}

mod sealed {
    use super::{Element, Map, Monoid};

    pub trait State {
        /// What is solved for.
        type Value: Element;
        /// The coefficients of a step.
        type Step: Element;
        /// A step as an affine map of the state, or several in a row.
        type Affine: Element;
        type Chain: Monoid<Self::Affine> + Default;
        type Link: Map<Self::Step, Self::Affine> + Default;
        type Applied: Map<Self::Affine, Self::Value>;

        fn applied(self) -> Self::Applied;
    }
}

macro_rules! states {
    ($($type:ty),*) => {
        $(
            impl State for $type {}
            impl sealed::State for $type {
                type Value = $type;
                type Step = [$type; 2];
                type Affine = [$type; 2];
                type Chain = Affine;
                type Link = Same;
                type Applied = Applied<$type>;

                fn applied(self) -> Self::Applied {
                    Applied(self)
                }
            }

            impl State for [$type; 2] {}
            impl sealed::State for [$type; 2] {
                type Value = $type;
                type Step = [$type; 3];
                type Affine = PlaneMap<$type>;
                type Chain = PlaneChain;
                type Link = Companion;
                type Applied = Applied<[$type; 2]>;

                fn applied(self) -> Self::Applied {
                    Applied(self)
                }
            }
        )*
    };
}

states!(f32, u32);

impl<S: State> GpuRecurrence<S> {
    /// Recurrences that go on from `before`.
    pub fn new(device: &Device, before: S) -> Self {
        let scan = GpuScan::with_monoid(device, S::Chain::default()).mapping(S::Link::default());
        Self { scan: scan.mapping_results(before.applied()) }
    }

    /// Every x, given `[a, b]` for each, or `[a, b, c]`.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`].
    pub fn solve(&self, steps: &GpuBuffer<S::Step>) -> Result<GpuBuffer<S::Value>, Error> {
        self.scan.inclusive(steps)
    }

    /// The same into a buffer as long as `steps`.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive_into`].
    pub fn solve_into(&self, steps: &GpuBuffer<S::Step>, output: &GpuBuffer<S::Value>) -> Result<(), Error> {
        self.scan.inclusive_into(steps, output)
    }

    /// Records it into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`GpuScan::encode_inclusive`].
    pub fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        steps: &GpuBuffer<S::Step>,
        output: &GpuBuffer<S::Value>,
    ) -> Result<(), Error> {
        self.scan.encode_inclusive(encoder, steps, output)
    }
}

/// A step of the second order as a map of the last two values.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct Companion;

impl Map<[f32; 3], PlaneMap<f32>> for Companion {
    fn apply(&self, [a, b, c]: [f32; 3]) -> PlaneMap<f32> {
        PlaneMap([a, b, 1.0, 0.0, c, 0.0])
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "return T(vec4(value.xy, 1.0, 0.0), vec2(value.z, 0.0));".into()
    }
}

impl Map<[u32; 3], PlaneMap<u32>> for Companion {
    fn apply(&self, [a, b, c]: [u32; 3]) -> PlaneMap<u32> {
        PlaneMap([a, b, 1, 0, c, 0])
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "return T(vec4(value.xy, 1u, 0u), vec2(value.z, 0u));".into()
    }
}

/// An affine map's value there, or the latest of both.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Applied<S>(S);

impl Map<[f32; 2], f32> for Applied<f32> {
    fn apply(&self, [a, b]: [f32; 2]) -> f32 {
        a * self.0 + b
    }

    fn wgsl(&self) -> Cow<'static, str> {
        let variable = variable("before", self.0);
        format!("{variable}return rounded(value.x * before) + value.y;").into()
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

impl Map<PlaneMap<f32>, f32> for Applied<[f32; 2]> {
    fn apply(&self, PlaneMap([a, b, _, _, c, _]): PlaneMap<f32>) -> f32 {
        a * self.0[0] + b * self.0[1] + c
    }

    fn wgsl(&self) -> Cow<'static, str> {
        let [last, before] = self.0;
        let variables = variable("last", last) + &variable("before", before);
        format!("{variables}return rounded(value.m.x * last) + rounded(value.m.y * before) + value.v.x;")
            .into()
    }
}

impl Map<PlaneMap<u32>, u32> for Applied<[u32; 2]> {
    fn apply(&self, PlaneMap([a, b, _, _, c, _]): PlaneMap<u32>) -> u32 {
        a.wrapping_mul(self.0[0]).wrapping_add(b.wrapping_mul(self.0[1])).wrapping_add(c)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        let [last, before] = self.0;
        format!("return value.m.x * {last}u + value.m.y * {before}u + value.v.x;").into()
    }
}

/// Declares a float by its bits: WGSL has no word for infinity, and takes none for a constant.
fn variable(name: &str, value: f32) -> String {
    let bits = value.to_bits();
    format!("var {name}_bits = {bits:#x}u;\n    let {name} = bitcast<f32>({name}_bits);\n    ")
}
