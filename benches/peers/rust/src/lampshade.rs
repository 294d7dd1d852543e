//! lampshade's inclusive scan and its radix sort, timed on the device: they record into the caller's encoder, so
//! timestamps can be written around it.

use std::time::{Duration, Instant};

use anyhow::Context;
use lampshade::{Scanner, Sorter};
use rayon::prelude::*;

use crate::protocol::{Data, Options, Row};

const SAMPLES: usize = 15;
/// Bytes uploaded or read back at a time.
const PIECE: usize = 64 << 20;

pub fn rows(options: &Options, data: &Data<u32>, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    let gpu = Gpu::new()?;
    let mut scanner = Scanner::new_for_adapter(&gpu.device, &gpu.queue, &gpu.info);
    let input = gpu.upload(&data.input);
    for n in options.sizes() {
        // A buffer of its own for every size, and cleared by wgpu: nothing is left over in it.
        let output = gpu.buffer(4 * n as u64);
        let row = gpu.row(
            ("inclusive_sum", "Scanner, subgroups where it trusts them"),
            n,
            &mut |encoder| scanner.record_scan(encoder, &input, &output, n as u32),
            || gpu.right(&output, n, |start, got| data.right(start, got)),
        )?;
        rows.push(row);
    }
    Ok(())
}

/// Its radix sort of u32 keys, which are the same input.
pub fn sort_rows(options: &Options, data: &Data<u32>, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    let gpu = Gpu::new()?;
    let mut sorter = Sorter::new_for_adapter(&gpu.device, &gpu.queue, &gpu.info);
    let input = gpu.upload(&data.input);
    for n in options.sizes() {
        let output = gpu.buffer(4 * n as u64);
        let mut sorted = data.input[..n].to_vec();
        sorted.par_sort_unstable();
        let row = gpu.row(
            ("sort_keys", "radix, random keys, Sorter for the adapter"),
            n,
            &mut |encoder| sorter.record_sort(encoder, &input, &output, n as u32),
            || {
                gpu.right(&output, n, |start, got| {
                    got == &sorted[start..start + got.len()]
                })
            },
        )?;
        rows.push(row);
    }
    Ok(())
}

type Record<'a> = dyn FnMut(&mut wgpu::CommandEncoder) -> Result<(), lampshade::Error> + 'a;

struct Gpu {
    info: wgpu::AdapterInfo,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    fn new() -> anyhow::Result<Self> {
        let descriptor = wgpu::InstanceDescriptor {
            backends: wgpu::Backends::PRIMARY,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        };
        let instance = wgpu::Instance::new(descriptor.with_env());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        }))?;
        // What lampshade's own context asks for, and the timestamps.
        let wanted = wgpu::Features::SUBGROUP
            | wgpu::Features::TIMESTAMP_QUERY
            | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        let (device, queue) =
            pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
                required_features: wanted & adapter.features(),
                required_limits: adapter.limits(),
                memory_hints: wgpu::MemoryHints::Performance,
                ..Default::default()
            }))?;
        Ok(Gpu {
            info: adapter.get_info(),
            device,
            queue,
        })
    }

    /// Runs a task once and checks it, then warms up and times it.
    fn row(
        &self,
        (primitive, algorithm): (&'static str, &str),
        n: usize,
        record: &mut Record,
        right: impl FnOnce() -> anyhow::Result<bool>,
    ) -> anyhow::Result<Row> {
        self.submit(1, record)?;
        let checked = right()?;

        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(150) {
            self.submit(8, record)?;
            self.wait()?;
        }
        let (samples, clock) = match self.device_times(record)? {
            Some(samples) => (samples, ""),
            None => (self.wall_times(record)?, ", wall clock"),
        };
        let backend = format!("{:?}", self.info.backend).to_lowercase();
        let who = ("lampshade 0.13", format!("{algorithm}{clock}"), &*backend);
        Ok(Row::of::<u32>(primitive, who, n, samples, checked))
    }

    fn buffer(&self, size: u64) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    fn upload(&self, data: &[u32]) -> wgpu::Buffer {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let buffer = self.buffer(bytes.len() as u64);
        for (i, piece) in bytes.chunks(PIECE).enumerate() {
            self.queue.write_buffer(&buffer, (i * PIECE) as u64, piece);
            self.queue.submit([]);
        }
        buffer
    }

    fn wait(&self) -> anyhow::Result<()> {
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&Default::default())
    }

    fn submit(&self, times: usize, record: &mut Record) -> anyhow::Result<()> {
        let mut encoder = self.encoder();
        for _ in 0..times {
            record(&mut encoder)?;
        }
        self.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// The bytes of a buffer that can be mapped, after all that was submitted.
    fn mapped<R>(&self, buffer: &wgpu::Buffer, read: impl FnOnce(&[u8]) -> R) -> anyhow::Result<R> {
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            let _ = sender.send(result);
        });
        self.wait()?;
        receiver.recv().context("the map callback was dropped")??;
        let result = read(&buffer.get_mapped_range(..)?);
        buffer.unmap();
        Ok(result)
    }

    /// Whether all of `n` results are what `is_right` takes them for, from a place on.
    fn right(
        &self,
        output: &wgpu::Buffer,
        n: usize,
        is_right: impl Fn(usize, &[u32]) -> bool,
    ) -> anyhow::Result<bool> {
        let mut right = true;
        for start in (0..4 * n).step_by(PIECE) {
            let size = PIECE.min(4 * n - start) as u64;
            let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut encoder = self.encoder();
            encoder.copy_buffer_to_buffer(output, start as u64, &staging, 0, size);
            self.queue.submit([encoder.finish()]);
            right &= self.mapped(&staging, |bytes| {
                is_right(start / 4, bytemuck::cast_slice(bytes))
            })?;
        }
        Ok(right)
    }

    /// Timestamps around each of the samples, all in one submission; none where the device has no
    /// timestamps or gives useless ones.
    fn device_times(&self, record: &mut Record) -> anyhow::Result<Option<Vec<Duration>>> {
        if !self
            .device
            .features()
            .contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
        {
            return Ok(None);
        }
        let count = 2 * SAMPLES as u32;
        let size = 8 * u64::from(count);
        let queries = self.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let buffer = |usage| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let resolved = buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC);
        let staging = buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);

        let mut encoder = self.encoder();
        for sample in 0..SAMPLES as u32 {
            encoder.write_timestamp(&queries, 2 * sample);
            record(&mut encoder)?;
            encoder.write_timestamp(&queries, 2 * sample + 1);
        }
        encoder.resolve_query_set(&queries, 0..count, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &staging, 0, size);
        self.queue.submit([encoder.finish()]);

        let period = f64::from(self.queue.get_timestamp_period());
        let ticks: Vec<u64> = self.mapped(&staging, bytemuck::pod_collect_to_vec)?;
        let usable = ticks
            .chunks(2)
            .all(|pair| pair[0] != 0 && pair[0] < pair[1]);
        let time =
            |pair: &[u64]| Duration::from_nanos(((pair[1] - pair[0]) as f64 * period) as u64);
        Ok(usable.then(|| ticks.chunks(2).map(time).collect()))
    }

    fn wall_times(&self, record: &mut Record) -> anyhow::Result<Vec<Duration>> {
        let sample = |_| {
            let start = Instant::now();
            self.submit(1, record)?;
            self.wait()?;
            Ok(start.elapsed())
        };
        (0..SAMPLES).map(sample).collect()
    }
}
