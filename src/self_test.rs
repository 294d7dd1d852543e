//! Whether this driver keeps the canonical bits.
//!
//! WGSL lets a compiler reassociate floating-point sums. None has been seen to, but only a run on the driver at
//! hand tells.

use crate::{device::Device, error::Error, monoid::Sum, order, plan::scan::Algorithm, scan::GpuScan};

/// Two blocks and a part of a third: every level of the tree, and the fold.
const LONG: usize = 2 * order::BLOCK + 8_195;
/// What one tile holds on every device.
const SHORT: usize = 4_095;

impl Device {
    /// Scans some awkward floats by every algorithm of the canonical order, and compares the bits with the CPU's.
    /// Takes well under a second once the kernels are compiled, which software drivers take a few seconds for.
    ///
    /// Subnormal numbers are not tried: drivers may take them for zero.
    ///
    /// # Errors
    /// [`Error::WrongBits`] says what differs, and what to do; and those of a scan.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn self_test(&self) -> Result<(), Error> {
        pollster::block_on(self.self_test_async())
    }

    /// The self test, to be awaited: scans some awkward floats by every algorithm of the canonical order, and
    /// compares the bits with the CPU's.
    ///
    /// # Errors
    /// [`Error::WrongBits`] says what differs, and what to do; and those of a scan.
    pub async fn self_test_async(&self) -> Result<(), Error> {
        let values = awkward(LONG);
        let mut sums = values.clone();
        order::scan(&Sum, &mut sums);
        let cases =
            [(Algorithm::SingleTile, SHORT), (Algorithm::ThreePass, LONG), (Algorithm::SinglePass, LONG)];
        for (algorithm, len) in cases {
            let scan = GpuScan::new(self).algorithm(algorithm);
            let found = scan.inclusive(&self.upload(&values[..len])?)?.read().await?;
            let bits = |value: &f32| value.to_bits();
            // Absent elements change nothing before them.
            let differs = |i: &usize| bits(&found[*i]) != bits(&sums[*i]);
            if let Some(index) = (0..len).find(differs) {
                return Err(Error::WrongBits {
                    device: self.describe(),
                    algorithm,
                    index: index as u64,
                    expected: bits(&sums[index]),
                    found: bits(&found[index]),
                });
            }
        }
        Ok(())
    }
}

/// Floats of both signs and of magnitudes from 2^-20 to 2^20: nearly every sum is rounded, and differently in any
/// other order. The first are negative zeros, to which no identity may be added.
fn awkward(len: usize) -> Vec<f32> {
    let value = |i: u32| {
        let bits = i.wrapping_mul(0x9e37_79b9) ^ (i.wrapping_mul(0x85eb_ca6b) >> 13);
        let exponent = 107 + bits % 41;
        f32::from_bits((bits & 0x8000_0000) | (exponent << 23) | (bits >> 8 & 0x007f_ffff))
    };
    (0..len as u32).map(|i| if i < 3 { -0.0 } else { value(i) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test that no wrong order can pass.
    #[test]
    fn another_order_gives_other_bits() {
        let values = awkward(SHORT);
        let mut sums = values.clone();
        order::scan(&Sum, &mut sums);
        let mut running = -0.0f32;
        let differs = values.iter().zip(&sums).filter(|(value, sum)| {
            running += **value;
            running.to_bits() != sum.to_bits()
        });
        assert!(differs.count() > SHORT / 2);
    }

    #[test]
    fn the_cpu_passes() {
        assert_eq!(pollster::block_on(Device::cpu().self_test_async()), Ok(()));
    }
}
