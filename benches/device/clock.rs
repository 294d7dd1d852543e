//! Timing by the device's own clock, or by the host's where the device has none.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use gpuscan::{Device, GpuBuffer, wgpu};

use crate::copy::Kernel;

/// A device that idled, or has little to do, runs at a fraction of its clock. It is kept busy with copies
/// for so long before a row, and until the row's first sample begins.
const WARM_UP: Duration = Duration::from_millis(150);
/// Bytes in a copy that warms a GPU up.
const WARM_BYTES: u64 = 256 << 20;
/// Such copies in one submission: some milliseconds.
const WARM_COPIES: usize = 16;
/// A sample above this is a fault, not a time.
const ABSURD: f64 = 600e9;

pub struct Clock {
    warm: Option<Warm>,
    device: wgpu::Device,
    queue: wgpu::Queue,
    samples: u32,
    /// Without it, the host's clock.
    stamps: Option<Stamps>,
    backend: String,
}

/// A copy large enough to use all of a GPU. Software drivers have no clock to raise.
struct Warm {
    kernel: Kernel,
    source: GpuBuffer<u32>,
    target: GpuBuffer<u32>,
}

struct Stamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    /// Nanoseconds in a tick.
    period: f64,
}

impl Clock {
    pub fn new(device: &Device, samples: u32) -> Result<Self, Box<dyn Error>> {
        let context = device;
        let (Some(device), Some(queue)) = (device.wgpu_device(), device.wgpu_queue()) else {
            return Err("a device benchmark needs a GPU or a software driver".into());
        };
        let needed = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        let api = format!("wgpu {:?}", device.adapter_info().backend);
        let stamps = device.features().contains(needed).then(|| {
            let buffer = |usage| {
                device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("timestamps"),
                    size: u64::from(samples) * 16,
                    usage: usage | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                })
            };
            Stamps {
                queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("timestamps"),
                    ty: wgpu::QueryType::Timestamp,
                    count: 2 * samples,
                }),
                resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
                readable: buffer(wgpu::BufferUsages::MAP_READ),
                period: queue.get_timestamp_period().into(),
            }
        });
        let backend = match stamps {
            Some(_) => api,
            None => format!("{api}, host clock"),
        };
        let warm = match device.adapter_info().device_type {
            wgpu::DeviceType::Cpu => None,
            _ => Some(Warm {
                kernel: Kernel::new(context)?,
                source: context.zeros((WARM_BYTES / 4) as usize)?,
                target: context.zeros((WARM_BYTES / 4) as usize)?,
            }),
        };
        Ok(Self { warm, device: device.clone(), queue: queue.clone(), samples, stamps, backend })
    }

    /// What the rows say of the backend.
    pub fn backend(&self) -> &str {
        &self.backend
    }

    /// Runs what `record` records, and waits for it.
    pub fn once(
        &self,
        record: impl Fn(&mut wgpu::CommandEncoder) -> Result<(), gpuscan::Error>,
    ) -> Result<(), Box<dyn Error>> {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        record(&mut encoder)?;
        self.queue.submit([encoder.finish()]);
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    }

    /// Brings a device that idled up to its clock.
    pub fn wake(&self) -> Result<(), Box<dyn Error>> {
        let start = Instant::now();
        while self.warm.is_some() && start.elapsed() < 4 * WARM_UP {
            self.once(|encoder| {
                self.warm_up(encoder);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Nanoseconds that what `record` records takes, one for each sample, on a device that is warm.
    pub fn time(
        &self,
        record: impl Fn(&mut wgpu::CommandEncoder) -> Result<(), gpuscan::Error>,
    ) -> Result<Vec<f64>, Box<dyn Error>> {
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            self.once(|encoder| {
                self.warm_up(encoder);
                record(encoder)
            })?;
        }
        let times = match &self.stamps {
            Some(stamps) => self.device_times(stamps, record)?,
            None => (0..self.samples)
                .map(|_| {
                    let start = Instant::now();
                    self.once(&record)?;
                    Ok(start.elapsed().as_nanos() as f64)
                })
                .collect::<Result<Vec<f64>, Box<dyn Error>>>()?,
        };
        match times.iter().find(|&&time| !(time > 0.0 && time < ABSURD)) {
            None => Ok(times),
            Some(time) => Err(format!("the device's clock gave {time} ns for a sample").into()),
        }
    }

    fn warm_up(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(Warm { kernel, source, target }) = &self.warm {
            for _ in 0..WARM_COPIES {
                kernel.encode(encoder, source, target);
            }
        }
    }

    fn device_times(
        &self,
        stamps: &Stamps,
        record: impl Fn(&mut wgpu::CommandEncoder) -> Result<(), gpuscan::Error>,
    ) -> Result<Vec<f64>, Box<dyn Error>> {
        // All samples in one submission: the device stays busy from the first to the last.
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.warm_up(&mut encoder);
        for sample in 0..self.samples {
            encoder.write_timestamp(&stamps.queries, 2 * sample);
            record(&mut encoder)?;
            encoder.write_timestamp(&stamps.queries, 2 * sample + 1);
        }
        encoder.resolve_query_set(&stamps.queries, 0..2 * self.samples, &stamps.resolved, 0);
        encoder.copy_buffer_to_buffer(&stamps.resolved, 0, &stamps.readable, 0, stamps.readable.size());
        self.queue.submit([encoder.finish()]);
        stamps.readable.map_async(wgpu::MapMode::Read, .., |_| {});
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&stamps.readable.get_mapped_range(..)?);
        stamps.readable.unmap();
        Ok(ticks.chunks_exact(2).map(|pair| pair[1].wrapping_sub(pair[0]) as f64 * stamps.period).collect())
    }
}
