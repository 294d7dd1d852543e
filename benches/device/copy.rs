//! Two ways to copy: what a scan is measured against.

use gpuscan::{Device, Element, GpuBuffer, wgpu};

/// Bytes a binding may span; a longer copy takes several dispatches.
const SPAN: u64 = 1 << 30;
/// Bytes a workgroup copies.
const TILE: u64 = 256 * 8 * 16;

pub struct Kernel {
    device: wgpu::Device,
    pipeline: wgpu::ComputePipeline,
}

impl Kernel {
    pub fn new(device: &Device) -> Result<Self, &'static str> {
        let device = device.wgpu_device().ok_or("a copy kernel needs a GPU or a software driver")?;
        let module = device.create_shader_module(wgpu::include_wgsl!("copy.wgsl"));
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("copy"),
            layout: None,
            module: &module,
            entry_point: Some("copy"),
            compilation_options: Default::default(),
            cache: None,
        });
        Ok(Self { device: device.clone(), pipeline })
    }

    /// Both ranges start at the start of their buffers.
    pub fn encode<T: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        from: &GpuBuffer<T>,
        to: &GpuBuffer<T>,
    ) {
        let (Some(source), Some(target)) = (from.wgpu_buffer(), to.wgpu_buffer()) else {
            return;
        };
        let end = from.byte_range().end;
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        let most: u64 = self.device.limits().max_compute_workgroups_per_dimension.into();
        for start in (0..end).step_by(SPAN as usize) {
            let bytes = SPAN.min(end - start);
            let bind = |binding, buffer| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: start,
                    size: wgpu::BufferSize::new(bytes),
                }),
            };
            let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("copy"),
                layout: &self.pipeline.get_bind_group_layout(0),
                entries: &[bind(0, source), bind(1, target)],
            });
            pass.set_bind_group(0, &group, &[]);
            let tiles = bytes.div_ceil(TILE);
            let rows = tiles.div_ceil(most);
            pass.dispatch_workgroups(tiles.div_ceil(rows) as u32, rows as u32, 1);
        }
    }
}

pub fn transfer<T: Element>(encoder: &mut wgpu::CommandEncoder, from: &GpuBuffer<T>, to: &GpuBuffer<T>) {
    if let (Some(source), Some(target)) = (from.wgpu_buffer(), to.wgpu_buffer()) {
        let range = from.byte_range();
        encoder.copy_buffer_to_buffer(source, range.start, target, 0, range.end - range.start);
    }
}
