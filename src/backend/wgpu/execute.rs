//! Records plans into command encoders.

use super::Context;
use crate::{
    backend::Buffers,
    error::Error,
    kernel::Operator,
    plan::{Plan, Region},
};

impl Context {
    /// Records `plan`.
    pub fn encode(
        &self,
        plan: &Plan,
        operator: &Operator,
        buffers: Buffers<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), Error> {
        self.record(plan, operator, buffers, encoder)?;
        self.alive()
    }

    /// Compiles what the plan needs.
    pub fn prepare(&self, plan: &Plan, operator: &Operator) -> Result<(), Error> {
        for dispatch in &plan.dispatches {
            self.pipeline(operator, &dispatch.kernel)?;
        }
        self.alive()
    }

    /// Everything that can fail is done before the first command is recorded.
    fn record(
        &self,
        plan: &Plan,
        operator: &Operator,
        buffers: Buffers<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), Error> {
        let buffers: Vec<_> = buffers.iter().map(|memory| memory.wgpu()).collect::<Result<_, _>>()?;
        for write in &plan.writes {
            let Region::Buffer(number) = write.region else { continue };
            let bytes = (write.words.len() * size_of::<u32>()) as u64;
            let (constant, offset) = self.constant(&write.words)?;
            self.guarded("recording a copy", bytes, || {
                encoder.copy_buffer_to_buffer(&constant, offset, buffers[number], write.offset, bytes);
            })?;
        }
        if plan.dispatches.is_empty() {
            return Ok(());
        }
        let scratch = self.shared(&self.scratch, plan.scratch)?;
        let states = match plan.states {
            0 => None,
            bytes => Some(self.shared(&self.states, bytes)?),
        };
        let marks = match plan.marks {
            0 => None,
            bytes => Some(self.shared(&self.marks, bytes)?),
        };
        let counted = match plan.counted {
            0 => None,
            bytes => Some(self.shared(&self.counted, bytes)?),
        };
        let buffer = |region| match region {
            Region::Counted => counted.as_ref().unwrap_or(&scratch),
            Region::Buffer(number) => buffers[number],
            Region::Scratch => &scratch,
            Region::Marks => marks.as_ref().unwrap_or(&scratch),
            Region::States => states.as_ref().unwrap_or(&scratch),
        };
        let mut commands = Vec::with_capacity(plan.dispatches.len());
        for dispatch in &plan.dispatches {
            let pipeline = self.pipeline(operator, &dispatch.kernel)?;
            let params = self.parameters(&dispatch.params)?;
            commands.push((dispatch, pipeline, params));
        }
        let groups: Vec<_> = self.guarded("binding the buffers of a plan", 0, || {
            commands
                .iter()
                .map(|(dispatch, pipeline, params)| {
                    let uniform = match (dispatch.counted, &counted) {
                        (Some(offset), Some(buffer)) => wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                            buffer,
                            offset,
                            size: wgpu::BufferSize::new(size_of_val(&dispatch.params[..]) as u64),
                        }),
                        _ => params.binding(),
                    };
                    let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: uniform }];
                    entries.extend(dispatch.bindings.iter().map(|binding| {
                        wgpu::BindGroupEntry {
                            binding: binding.slot,
                            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                                buffer: buffer(binding.region),
                                offset: binding.range.start,
                                size: match binding.region {
                                    // Kernels find their way in it by its length, which must not change.
                                    Region::States => None,
                                    _ => wgpu::BufferSize::new(binding.range.end - binding.range.start),
                                },
                            }),
                        }
                    }));
                    self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                        label: Some(dispatch.kernel.name()),
                        layout: &pipeline.get_bind_group_layout(0),
                        entries: &entries,
                    })
                })
                .collect()
        })?;
        self.guarded("recording a plan", 0, || {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("gpuscan"),
                timestamp_writes: None,
            });
            for ((dispatch, pipeline, _), group) in commands.iter().zip(&groups) {
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, group, &[]);
                pass.dispatch_workgroups(dispatch.grid[0], dispatch.grid[1], 1);
            }
        })
    }

    /// Records `plan` into an encoder of its own and submits it.
    pub fn run(&self, plan: &Plan, operator: &Operator, buffers: Buffers<'_>) -> Result<(), Error> {
        self.submit(|encoder| self.record(plan, operator, buffers, encoder))
    }

    /// Submits what is recorded, unless that fails.
    pub fn submit(
        &self,
        record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut encoder = self.guarded("a command encoder", 0, || {
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("gpuscan") })
        })?;
        record(&mut encoder)?;
        self.guarded("submitting a plan", 0, || {
            self.queue.submit([encoder.finish()]);
        })?;
        self.alive()
    }
}
