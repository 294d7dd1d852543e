//! Range sums: how much there is between two places, or in a box of an image, without adding it up again.

use crate::{
    buffer::GpuBuffer,
    device::Device,
    element::Number,
    error::Error,
    kernel::{Operator, range::Term as Kind},
    monoid::{Monoid, Sum},
    plan::{
        Plan,
        range::{self as plan, Shape, Table},
    },
    scan::GpuScan,
    tuning::Capabilities,
};

/// What range sums add up and take away again. Sealed: `u32` and `i32`, which wrap around, and `f32`.
pub trait Term: Number + sealed::Term {}

mod sealed {
    pub trait Term: Sized {
        const KIND: super::Kind;
        fn minus(self, other: Self) -> Self;
    }
}

macro_rules! term {
    ($type:ty, $kind:ident, $minus:expr) => {
        impl Term for $type {}
        impl sealed::Term for $type {
            const KIND: Kind = Kind::$kind;
            fn minus(self, other: Self) -> Self {
                $minus(self, other)
            }
        }
    };
}

term!(u32, U32, u32::wrapping_sub);
term!(i32, I32, i32::wrapping_sub);
term!(f32, F32, std::ops::Sub::sub);

/// Sums of ranges of a list, and of boxes of a matrix, from tables that are made once, on one device.
///
/// * In one dimension: [`GpuRangeSum::table`] is the inclusive scan, [`GpuRangeSum::ranges`] looks up any number of
///   ranges in it.
/// * In two: [`GpuRangeSum::integral`] is the integral image, or summed-area table (F. Crow, "Summed-area tables
///   for texture mapping", 1984): running sums along rows, and of those along columns.
///   [`GpuRangeSum::boxes`] looks up boxes.
///
/// **Integers** wrap around in the table and again when a sum is taken from it, so every sum that fits its type
/// is exact, however large the table's own numbers are. **Floats** come out with the same bits everywhere: both
/// axes are scanned in the canonical order ([`crate::order`]), and a sum is
/// `(d − c) − (b − a)` of the four corners. But a table of floats holds large numbers, and what a small range
/// adds to them has been rounded to their precision: the error of a sum is that of the *table's* sums (some
/// 2^-22 of the sum of all magnitudes before), not of the range's own. Scale to integers where that matters.
///
/// **Cost.** A range is two look-ups, a box is four, whatever its size. An integral image is two scans, one along
/// each axis ([`Scanning::axis`](crate::Scanning::axis)); a table of narrow elements, such as an image of
/// `u8`, can be made with those and [`Widen`](crate::Widen).
///
/// ```
/// use gpuscan::{Device, GpuRangeSum};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let sums = GpuRangeSum::new(&device);
/// let table = sums.table(&device.upload(&[3u32, 1, 7, 0, 4, 2, 1, 6])?)?;
/// let ranges = device.upload(&[0u32, 8, 2, 5, 4, 4])?; // from, up to; from, up to; …
/// assert_eq!(sums.ranges(&table, &ranges)?.to_vec()?, [24, 11, 0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuRangeSum {
    device: Device,
}

impl GpuRangeSum {
    /// Range sums on a device.
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone() }
    }

    /// The table for [`GpuRangeSum::ranges`]: [`GpuScan::inclusive`], which can as well be used itself.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`].
    pub fn table<T: Term>(&self, values: &GpuBuffer<T>) -> Result<GpuBuffer<T>, Error>
    where
        Sum: Monoid<T>,
    {
        GpuScan::new(&self.device).inclusive(values)
    }

    /// The sum of each range, in a new buffer. A range is two numbers in `ranges`, where it begins and the place
    /// behind its end; it ends where the table does, and one that ends before it begins is empty.
    ///
    /// # Errors
    /// [`Error::Invalid`] for half a range, [`Error::TooLarge`] for a table that one binding cannot span,
    /// [`Error::WrongDevice`], [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn ranges<T: Term>(
        &self,
        table: &GpuBuffer<T>,
        ranges: &GpuBuffer<u32>,
    ) -> Result<GpuBuffer<T>, Error> {
        ranges.check_device("the ranges", &self.device)?;
        let sums = self.device.zeros(ranges.len() / 2)?;
        self.ranges_into(table, ranges, &sums)?;
        Ok(sums)
    }

    /// The same into a buffer with an element for each range.
    ///
    /// # Errors
    /// [`Error::Length`], and [`Error::Invalid`] if the sums lie in a buffer that is read, besides those of
    /// [`GpuRangeSum::ranges`].
    pub fn ranges_into<T: Term>(
        &self,
        table: &GpuBuffer<T>,
        ranges: &GpuBuffer<u32>,
        sums: &GpuBuffer<T>,
    ) -> Result<(), Error> {
        let query = self.checked(Shape::Ranges, table, table.len(), ranges, sums)?;
        self.query(&query, table, ranges, sums)
    }

    /// Records [`GpuRangeSum::ranges_into`] into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`GpuRangeSum::ranges_into`]; nothing has been recorded then. [`Error::WrongDevice`] on the CPU.
    pub fn encode_ranges<T: Term>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        table: &GpuBuffer<T>,
        ranges: &GpuBuffer<u32>,
        sums: &GpuBuffer<T>,
    ) -> Result<(), Error> {
        let query = self.checked(Shape::Ranges, table, table.len(), ranges, sums)?;
        self.encode_query(encoder, &query, table, ranges, sums)
    }

    /// The integral image of a matrix with rows of `width` elements, in a new buffer: element `(x, y)` is the sum
    /// of all elements with neither coordinate larger.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a last row that is cut short, besides those of [`GpuScan::inclusive`].
    pub fn integral<T: Term>(&self, values: &GpuBuffer<T>, width: usize) -> Result<GpuBuffer<T>, Error>
    where
        Sum: Monoid<T>,
    {
        values.check_device("the values", &self.device)?;
        let table = self.device.zeros(values.len())?;
        self.integral_into(values, width, &table)?;
        Ok(table)
    }

    /// The same into a buffer of the same length, which may be the matrix itself.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Overlap`] besides those of [`GpuRangeSum::integral`].
    pub fn integral_into<T: Term>(
        &self,
        values: &GpuBuffer<T>,
        width: usize,
        table: &GpuBuffer<T>,
    ) -> Result<(), Error>
    where
        Sum: Monoid<T>,
    {
        let lens = size(values, width)?.lens();
        let scan = GpuScan::new(&self.device);
        scan.of::<T, T>(values).axis(&lens, 1).run_into(table)?;
        scan.of::<T, T>(table).axis(&lens, 0).run_into(table)
    }

    /// Records [`GpuRangeSum::integral_into`] into the caller's encoder.
    ///
    /// # Errors
    /// As for [`GpuRangeSum::integral_into`] and [`GpuRangeSum::encode_ranges`].
    pub fn encode_integral<T: Term>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        values: &GpuBuffer<T>,
        width: usize,
        table: &GpuBuffer<T>,
    ) -> Result<(), Error>
    where
        Sum: Monoid<T>,
    {
        let lens = size(values, width)?.lens();
        let scan = GpuScan::new(&self.device);
        scan.of::<T, T>(values).axis(&lens, 1).encode(encoder, table)?;
        scan.of::<T, T>(table).axis(&lens, 0).encode(encoder, table)
    }

    /// The sum of each box of an integral image with rows of `width` elements, in a new buffer. A box is four
    /// numbers in `boxes`: left, top, and the places behind its right and its bottom. It ends where the image
    /// does, and one that ends before it begins is empty.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a part of a box or a row, besides those of [`GpuRangeSum::ranges`].
    pub fn boxes<T: Term>(
        &self,
        table: &GpuBuffer<T>,
        width: usize,
        boxes: &GpuBuffer<u32>,
    ) -> Result<GpuBuffer<T>, Error> {
        boxes.check_device("the boxes", &self.device)?;
        let sums = self.device.zeros(boxes.len() / 4)?;
        self.boxes_into(table, width, boxes, &sums)?;
        Ok(sums)
    }

    /// The same into a buffer with an element for each box.
    ///
    /// # Errors
    /// As for [`GpuRangeSum::boxes`] and [`GpuRangeSum::ranges_into`].
    pub fn boxes_into<T: Term>(
        &self,
        table: &GpuBuffer<T>,
        width: usize,
        boxes: &GpuBuffer<u32>,
        sums: &GpuBuffer<T>,
    ) -> Result<(), Error> {
        let query = self.checked(Shape::Boxes, table, width, boxes, sums)?;
        self.query(&query, table, boxes, sums)
    }

    /// Records [`GpuRangeSum::boxes_into`] into the caller's encoder.
    ///
    /// # Errors
    /// As for [`GpuRangeSum::boxes_into`] and [`GpuRangeSum::encode_ranges`].
    pub fn encode_boxes<T: Term>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        table: &GpuBuffer<T>,
        width: usize,
        boxes: &GpuBuffer<u32>,
        sums: &GpuBuffer<T>,
    ) -> Result<(), Error> {
        let query = self.checked(Shape::Boxes, table, width, boxes, sums)?;
        self.encode_query(encoder, &query, table, boxes, sums)
    }

    fn query<T: Term>(
        &self,
        query: &Query,
        table: &GpuBuffer<T>,
        queries: &GpuBuffer<u32>,
        sums: &GpuBuffer<T>,
    ) -> Result<(), Error> {
        if let Some(gpu) = self.device.gpu() {
            let plan = query.plan(queries, sums, gpu.capabilities())?;
            let buffers = [table.on_gpu()?, queries.on_gpu()?, sums.on_gpu()?];
            return gpu.run(&plan, &Operator::none(), &buffers);
        }
        sums.put_on_host(&query.on_host(&table.on_host()?, &queries.on_host()?))
    }

    fn encode_query<T: Term>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        query: &Query,
        table: &GpuBuffer<T>,
        queries: &GpuBuffer<u32>,
        sums: &GpuBuffer<T>,
    ) -> Result<(), Error> {
        let context = self.device.wgpu("recording range sums")?;
        let plan = query.plan(queries, sums, &context.capabilities)?;
        let buffers = [table.on_gpu()?, queries.on_gpu()?, sums.on_gpu()?];
        context.encode(&plan, &Operator::none(), &buffers, encoder)
    }

    /// The query, if all buffers are fit for it.
    fn checked<T: Term>(
        &self,
        shape: Shape,
        table: &GpuBuffer<T>,
        width: usize,
        queries: &GpuBuffer<u32>,
        sums: &GpuBuffer<T>,
    ) -> Result<Query, Error> {
        let (what, words) = match shape {
            Shape::Ranges => ("the ranges", "two numbers each"),
            Shape::Boxes => ("the boxes", "four numbers each"),
        };
        table.check_device("the table", &self.device)?;
        queries.check_device(what, &self.device)?;
        sums.check_device("the sums", &self.device)?;
        let of_query = shape.words() as usize;
        if !queries.len().is_multiple_of(of_query) {
            let found = format!("{} numbers", queries.len());
            return Err(Error::Invalid { what, expected: words.into(), found });
        }
        sums.check_len("the sums", queries.len() / of_query)?;
        sums.check_apart("the sums", "the table", table)?;
        sums.check_apart("the sums", what, queries)?;
        Ok(Query { shape, table: size(table, width)? })
    }
}

/// A table with rows of `width` elements.
fn size<T: Term>(table: &GpuBuffer<T>, width: usize) -> Result<Table, Error> {
    let len = table.len();
    let height = if len == 0 { 0 } else { len.checked_div(width).unwrap_or_default() };
    if height * width != len {
        return Err(Error::Invalid {
            what: "the elements of a matrix",
            expected: format!("a multiple of its width of {width}"),
            found: len.to_string(),
        });
    }
    // A binding never spans so much, but the numbers have to fit until that is told.
    if len > u32::MAX as usize {
        return Err(Error::TooLarge {
            what: "a table of sums",
            unit: "elements",
            expected: u32::MAX.into(),
            found: len as u64,
        });
    }
    let width = if len == 0 { 0 } else { width };
    Ok(Table { term: T::KIND, width: width as u32, height: height as u32, place: table.place() })
}

/// Questions to a table.
struct Query {
    shape: Shape,
    table: Table,
}

impl Query {
    fn plan<T: Term>(
        &self,
        queries: &GpuBuffer<u32>,
        sums: &GpuBuffer<T>,
        capabilities: &Capabilities,
    ) -> Result<Plan, Error> {
        plan::query(self.shape, &self.table, sums.len() as u64, queries.place(), sums.place(), capabilities)
    }

    /// What the kernels do.
    fn on_host<T: Term>(&self, table: &[T], queries: &[u32]) -> Vec<T> {
        let (width, height) = (self.table.width, self.table.height);
        let between = |row: &[T], left: u32, right: u32| match left {
            0 => row[right as usize - 1],
            _ => row[right as usize - 1].minus(row[left as usize - 1]),
        };
        let of_range = |query: &[u32]| {
            let end = query[1].min(width);
            let start = query[0].min(end);
            if start < end { between(table, start, end) } else { T::ZERO }
        };
        let above = |bottom: u32, left: u32, right: u32| match bottom {
            0 => T::ZERO,
            _ => between(&table[(bottom as usize - 1) * width as usize..], left, right),
        };
        let of_box = |query: &[u32]| {
            let (right, bottom) = (query[2].min(width), query[3].min(height));
            let (left, top) = (query[0].min(right), query[1].min(bottom));
            match left < right && top < bottom {
                true => above(bottom, left, right).minus(above(top, left, right)),
                false => T::ZERO,
            }
        };
        match self.shape {
            Shape::Ranges => queries.chunks_exact(2).map(of_range).collect(),
            Shape::Boxes => queries.chunks_exact(4).map(of_box).collect(),
        }
    }
}
