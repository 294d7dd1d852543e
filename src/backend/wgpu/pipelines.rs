//! Compiled kernels, each made once.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::{Context, Counters, guard::now};
use crate::{
    error::Error,
    kernel::{Kernel, Operator},
};

#[derive(Debug, Default)]
pub(super) struct Pipelines(Mutex<HashMap<Operator, HashMap<Kernel, wgpu::ComputePipeline>>>);

impl Context {
    /// The pipeline of `kernel` for `operator`; compiled on first use.
    pub(super) fn pipeline(
        &self,
        operator: &Operator,
        kernel: &Kernel,
    ) -> Result<wgpu::ComputePipeline, Error> {
        let mut pipelines = self.pipelines.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = pipelines.get(operator).and_then(|kernels| kernels.get(kernel)) {
            return Ok(pipeline.clone());
        }
        let pipeline = self.compile(operator, kernel)?;
        Counters::count(&self.counters.pipelines);
        pipelines.entry(operator.clone()).or_default().insert(*kernel, pipeline.clone());
        Ok(pipeline)
    }

    fn compile(&self, operator: &Operator, kernel: &Kernel) -> Result<wgpu::ComputePipeline, Error> {
        let name = kernel.name();
        let source = kernel.assemble(operator);
        source.check()?;
        let mut module = None;
        let made = self.guarded("a shader module", 0, || {
            module = Some(self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(name),
                source: wgpu::ShaderSource::Wgsl(source.text.as_str().into()),
            }));
        });
        let Some(module) = module else {
            return Err(made
                .err()
                .unwrap_or(Error::Driver { what: "a shader module", message: "none was made".into() }));
        };
        if let Err(error) = made {
            let Error::Driver { message, .. } = error else {
                return Err(error);
            };
            let line = now(module.get_compilation_info())
                .and_then(|info| info.messages.into_iter().find_map(|message| message.location));
            let place = line.map_or("an unknown line".into(), |at| {
                format!("{}:{}", source.locate(at.line_number as usize), at.line_position)
            });
            return Err(Error::Shader { kernel: name, place, message });
        }
        self.guarded("a pipeline", 0, || {
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(name),
                layout: None,
                module: &module,
                entry_point: Some(name),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Every word of workgroup memory is written before it is read.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        })
        .map_err(|error| match error {
            Error::Driver { message, .. } => {
                Error::Shader { kernel: name, place: "the whole kernel".into(), message }
            }
            other => other,
        })
    }
}
