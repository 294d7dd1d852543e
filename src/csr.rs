//! Sparse rows from lists of edges.

use crate::{
    backend::{GpuMemory, cpu},
    buffer::GpuBuffer,
    device::Device,
    element::Element,
    error::Error,
    histogram::GpuHistogram,
    kernel::Operator,
    monoid::Sum,
    plan::{
        Plan,
        rows::{self, Job, Operands},
    },
    reduce::segments_of,
    scan::GpuScan,
    sort::GpuRadixSort,
    tuning::Capabilities,
};

/// Compressed sparse rows (CSR) of edges, on the device.
///
/// Degrees are a histogram of the edges' rows, offsets an exclusive scan of the degrees, and a stable sort by row
/// brings what belongs to each edge side by side, in the order in which edges were given. Products of the matrix and
/// a vector are segmented sums, over rows of any length.
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
///
/// let values = device.upload(&[0.5f32, 2.0, 1.0, 1.0])?; // one for each entry
/// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let y = GpuCsr::new(&device).multiply(&csr, &values, &x)?;
/// assert_eq!(y.to_vec()?, [0.5 * 4.0 + 2.0 * 2.0, 0.0, 1.0 * 2.0 + 1.0 * 1.0]);
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

    /// The product y = A·x of a sparse matrix and a vector, in a new buffer. The matrix is its rows of columns, as
    /// [`GpuCsr::rows_of`] makes them, and as many values, which that can bring into the same order.
    ///
    /// Each product is rounded, then those of a row are added up as [`GpuReduce::reduce_segments`] does it: the same
    /// bits on every device, and as much work for each workgroup, however uneven the rows are. Values and columns
    /// are read once; little but y is written. A row without entries gives 0. An entry of a column that x does not
    /// have counts as 0, one in front of the first offset or behind the last not at all. Offsets that decrease give
    /// wrong results, and do no other harm.
    ///
    /// [`GpuReduce::reduce_segments`]: crate::GpuReduce::reduce_segments
    ///
    /// # Errors
    /// [`Error::Length`] for other than one value an entry, [`Error::Invalid`] without an offset,
    /// [`Error::TooLarge`] where one binding cannot span the offsets, x or y; [`Error::WrongDevice`],
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn multiply(
        &self,
        matrix: &Csr<u32>,
        values: &GpuBuffer<f32>,
        x: &GpuBuffer<f32>,
    ) -> Result<GpuBuffer<f32>, Error> {
        let y = self.device.zeros(segments_of(&matrix.offsets)?)?;
        self.multiply_into(matrix, values, x, &y)?;
        Ok(y)
    }

    /// The same into a buffer with an element for each row.
    ///
    /// # Errors
    /// As for [`GpuCsr::multiply`]; [`Error::Length`] for another length of `y`, [`Error::Invalid`] if it is in a
    /// buffer that is read.
    pub fn multiply_into(
        &self,
        matrix: &Csr<u32>,
        values: &GpuBuffer<f32>,
        x: &GpuBuffer<f32>,
        y: &GpuBuffer<f32>,
    ) -> Result<(), Error> {
        let product = Product { matrix, values, x, y };
        product.check(&self.device)?;
        if let Some(gpu) = self.device.gpu() {
            let plan = product.plan(gpu.capabilities())?;
            return gpu.run(&plan, &Operator::products(), &product.buffers()?);
        }
        y.put_on_host(&product.on_host()?)
    }

    /// Records [`GpuCsr::multiply_into`] into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`GpuCsr::multiply_into`]; [`Error::WrongDevice`] on the CPU.
    pub fn encode_multiply(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        matrix: &Csr<u32>,
        values: &GpuBuffer<f32>,
        x: &GpuBuffer<f32>,
        y: &GpuBuffer<f32>,
    ) -> Result<(), Error> {
        let context = self.device.wgpu("recording a product")?;
        let product = Product { matrix, values, x, y };
        product.check(&self.device)?;
        let plan = product.plan(&context.capabilities)?;
        context.encode(&plan, &Operator::products(), &product.buffers()?, encoder)
    }

    fn histogram(&self, count: u32) -> Result<GpuHistogram<u32>, Error> {
        GpuHistogram::even(&self.device, count, 0.0..f64::from(count))
    }
}

/// y = A·x.
struct Product<'b> {
    matrix: &'b Csr<u32>,
    values: &'b GpuBuffer<f32>,
    x: &'b GpuBuffer<f32>,
    y: &'b GpuBuffer<f32>,
}

impl Product<'_> {
    fn check(&self, device: &Device) -> Result<(), Error> {
        let Self { matrix: Csr { offsets, entries }, values, x, y } = self;
        offsets.check_device("the offsets", device)?;
        entries.check_device("the columns", device)?;
        values.check_device("the values", device)?;
        x.check_device("the vector", device)?;
        y.check_device("the product", device)?;
        values.check_len("the values", entries.len())?;
        y.check_len("the product", segments_of(offsets)?)?;
        y.check_apart("the product", "the offsets", offsets)?;
        y.check_apart("the product", "the columns", entries)?;
        y.check_apart("the product", "the values", values)?;
        y.check_apart("the product", "the vector", x)
    }

    fn plan(&self, capabilities: &Capabilities) -> Result<Plan, Error> {
        let Self { matrix: Csr { offsets, entries }, values, x, y } = self;
        let job = Job {
            rows: y.len() as u64,
            offsets: offsets.place(),
            len: values.len() as u64,
            input: values.place(),
            output: y.place(),
            types: [f32::LAYOUT; 2],
            operands: Some(Operands {
                columns: entries.place(),
                vector: x.place(),
                vector_len: x.len() as u64,
            }),
        };
        rows::totals(&job, capabilities)
    }

    /// In the order of `plan::rows`.
    fn buffers(&self) -> Result<[&GpuMemory; 5], Error> {
        let Csr { offsets, entries } = self.matrix;
        Ok([self.values.on_gpu()?, self.y.on_gpu()?, entries.on_gpu()?, offsets.on_gpu()?, self.x.on_gpu()?])
    }

    fn on_host(&self) -> Result<Vec<f32>, Error> {
        let (values, x) = (self.values.on_host()?, self.x.on_host()?);
        let columns = self.matrix.entries.on_host()?;
        let product = |(&column, &value): (&u32, &f32)| match x.get(column as usize) {
            Some(x) => value * x,
            None => 0.0,
        };
        let products = columns.iter().zip(&values).map(product);
        Ok(cpu::segment_totals(&Sum, &self.matrix.offsets.on_host()?, products.collect()))
    }
}
