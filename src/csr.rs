//! Sparse rows from lists of edges.

use crate::{
    buffer::GpuBuffer, device::Device, element::Element, error::Error, histogram::GpuHistogram,
    scan::GpuScan, sort::GpuRadixSort,
};

/// Compressed sparse rows (CSR) of edges, on the device.
///
/// Degrees are a histogram of the edges' rows, offsets an exclusive scan of the degrees, and a stable sort by row
/// brings what belongs to each edge side by side, in the order in which edges were given.
///
/// ```
/// use gpuscan::{Device, GpuCsr};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let rows = device.upload(&[2u32, 0, 2, 0])?;
/// let columns = device.upload(&[1u32, 3, 0, 1])?;
/// let csr = GpuCsr::new(&device).rows_of(&rows, &columns, 3)?;
/// assert_eq!(csr.offsets.to_vec()?, [0, 2, 2, 4]); // row 1 is empty
/// assert_eq!(csr.entries.to_vec()?, [3, 1, 1, 0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuCsr {
    device: Device,
}

/// Rows side by side.
#[derive(Clone, Debug)]
pub struct Csr<T> {
    /// Where each row begins, and where the last one ends: one element more than rows.
    pub offsets: GpuBuffer<u32>,
    /// What was given for each edge, row by row. Edges of rows that are not there come last.
    pub entries: GpuBuffer<T>,
}

impl GpuCsr {
    /// For this device.
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone() }
    }

    /// How many edges each of `count` rows has, at most 2^20 rows.
    ///
    /// # Errors
    /// [`Error::WrongDevice`], [`Error::TooLarge`], [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn degrees(&self, rows: &GpuBuffer<u32>, count: u32) -> Result<GpuBuffer<u32>, Error> {
        let degrees = self.device.zeros(count as usize)?;
        if count > 0 {
            self.histogram(count)?.histogram_into(rows, &degrees)?;
        }
        Ok(degrees)
    }

    /// The entries of `count` rows, given the row and the entry of each edge: columns, or anything of whole words.
    /// With rows and columns exchanged it is the transposed matrix.
    ///
    /// # Errors
    /// As for [`GpuCsr::degrees`], and [`Error::Length`] for other than one entry an edge.
    pub fn rows_of<T: Element>(
        &self,
        rows: &GpuBuffer<u32>,
        entries: &GpuBuffer<T>,
        count: u32,
    ) -> Result<Csr<T>, Error> {
        let (_, entries) = GpuRadixSort::new(&self.device).sort_pairs(rows, entries)?;
        let offsets = self.device.zeros(count as usize + 1)?;
        if count > 0 {
            self.histogram(count)?.histogram_into(rows, &offsets.slice(..count as usize)?)?;
        }
        // Behind the degrees is a zero: there the scan leaves the number of edges.
        GpuScan::new(&self.device).exclusive_in_place(&offsets)?;
        Ok(Csr { offsets, entries })
    }

    fn histogram(&self, count: u32) -> Result<GpuHistogram<u32>, Error> {
        GpuHistogram::even(&self.device, count, 0.0..f64::from(count))
    }
}
