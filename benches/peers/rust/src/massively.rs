//! massively's inclusive scan through CubeCL on wgpu. It owns device, queue and submission, so only
//! the wall clock can time it: a batch of scans, one wait at its end, the mean of the batch.

use std::hint::black_box;
use std::panic;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use cubecl::frontend::AddExpand;
use cubecl::wgpu::{WgpuDevice, WgpuRuntime};
use massively::{DeviceVec, Executor, op::ReductionOp, vector};

use crate::protocol::{Data, Element, Options, Row};

type Gpu = Executor<WgpuRuntime>;

struct Sum;

#[cubecl::cube]
impl ReductionOp<u32> for Sum {
    fn apply(left: u32, right: u32) -> u32 {
        left + right
    }
}

#[cubecl::cube]
impl ReductionOp<f32> for Sum {
    fn apply(left: f32, right: f32) -> f32 {
        left + right
    }
}

/// The three calls of massively that are needed here, for the elements that are needed here.
pub trait Scannable: Element {
    type Vector;
    fn upload(gpu: &Gpu, values: &[Self]) -> Self::Vector;
    fn scan(gpu: &Gpu, input: &Self::Vector) -> Result<Self::Vector, massively::Error>;
    fn read(gpu: &Gpu, values: &Self::Vector) -> Result<Vec<Self>, massively::Error>;
}

macro_rules! scannable {
    ($element:ty) => {
        impl Scannable for $element {
            type Vector = DeviceVec<WgpuRuntime, $element>;

            fn upload(gpu: &Gpu, values: &[Self]) -> Self::Vector {
                gpu.to_device(values)
            }
            fn scan(gpu: &Gpu, input: &Self::Vector) -> Result<Self::Vector, massively::Error> {
                vector::inclusive_scan(gpu, input.slice(..), Sum)
            }
            fn read(gpu: &Gpu, values: &Self::Vector) -> Result<Vec<Self>, massively::Error> {
                gpu.to_host(values)
            }
        }
    };
}
scannable!(u32);
scannable!(f32);

pub fn rows<T: Scannable>(
    options: &Options,
    data: &Data<T>,
    rows: &mut Vec<Row>,
) -> anyhow::Result<()> {
    // CubeCL panics where there is no device, and where a device lacks what a kernel needs.
    panic::catch_unwind(panic::AssertUnwindSafe(|| {
        let gpu = Gpu::new(WgpuDevice::DefaultDevice);
        for n in options.sizes() {
            rows.push(row(&gpu, data, n).map_err(|error| anyhow!("n = {n}: {error:?}"))?);
        }
        Ok(())
    }))
    .unwrap_or_else(|_| Err(anyhow!("CubeCL panicked, see above")))
}

fn row<T: Scannable>(gpu: &Gpu, data: &Data<T>, n: usize) -> Result<Row, massively::Error> {
    let input = T::upload(gpu, &data.input[..n]);
    let output = T::read(gpu, &T::scan(gpu, &input)?)?;
    let checked = output.len() == n && data.right(0, &output);
    drop(output);

    let batch = |scans: u32| -> Result<Duration, massively::Error> {
        let start = Instant::now();
        for _ in 0..scans {
            black_box(T::scan(gpu, &input)?);
        }
        gpu.sync()?;
        Ok(start.elapsed() / scans)
    };
    let start = Instant::now();
    let mut once = batch(1)?;
    while start.elapsed() < Duration::from_millis(150) {
        once = batch(4)?;
    }
    // Five milliseconds a batch drown the wait at its end.
    let scans = (5_000_000 / once.as_nanos().max(1)).clamp(1, 64) as u32;
    let samples: Result<Vec<Duration>, _> = (0..15).map(|_| batch(scans)).collect();
    let identity = (
        "massively 0.97",
        "CubeCL, batches, wall clock".to_owned(),
        "wgpu",
    );
    Ok(Row::new::<T>(identity, n, samples?, checked))
}
