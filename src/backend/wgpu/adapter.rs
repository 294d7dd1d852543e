//! Finds an adapter and makes a device.

use super::{Context, export};
use crate::error::Error;

/// What is asked of a new device.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Part of the adapter's name, in any case.
    pub name: Option<String>,
    pub subgroups: bool,
    /// Upper bounds on the limits that matter here.
    pub max_binding: Option<u64>,
    pub max_buffer: Option<u64>,
    pub max_groups: Option<u32>,
    pub tile_log2: Option<u32>,
    pub tiles_at_once: Option<u32>,
    pub patience: Option<u32>,
    pub fault: Option<u32>,
}

impl Request {
    /// Makes a device on the best adapter that fits.
    pub async fn open(&self) -> Result<Context, Error> {
        if wgpu::Instance::enabled_backend_features().is_empty() {
            return Err(Error::NoAdapter {
                searched: "this build has none of the features native and webgpu".into(),
            });
        }
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = self.choose(adapters(&instance).await)?;
        let info = adapter.get_info();

        let wanted = wgpu::Features::TIMESTAMP_QUERY
            | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
            | if self.subgroups { wgpu::Features::SUBGROUP } else { wgpu::Features::empty() };
        let mut limits = adapter.limits();
        if let Some(bytes) = self.max_binding {
            limits.max_storage_buffer_binding_size = limits.max_storage_buffer_binding_size.min(bytes);
        }
        if let Some(bytes) = self.max_buffer {
            limits.max_buffer_size = limits.max_buffer_size.min(bytes);
        }
        if let Some(groups) = self.max_groups {
            limits.max_compute_workgroups_per_dimension =
                limits.max_compute_workgroups_per_dimension.min(groups);
        }
        let description = wgpu::DeviceDescriptor {
            label: Some("gpuscan"),
            required_features: adapter.features() & wanted,
            required_limits: limits,
            ..Default::default()
        };
        let (device, queue) = match export::open(&adapter, &description) {
            Some(made) => made,
            None => adapter
                .request_device(&description)
                .await
                .map_err(|error| Error::NoDevice { adapter: info.name.clone(), reason: error.to_string() })?,
        };
        let mut context = Context::new(info, device, queue, self.subgroups)?;
        context.capabilities.tile_log2 = self.tile_log2;
        context.capabilities.tiles_at_once = self.tiles_at_once;
        context.capabilities.fault = self.fault;
        if let Some(looks) = self.patience {
            context.capabilities.patience = looks;
        }
        context.watch();
        Ok(context)
    }

    /// The fastest kind of adapter that can compute and has the wanted name.
    fn choose(&self, adapters: Vec<wgpu::Adapter>) -> Result<wgpu::Adapter, Error> {
        let wanted = self.name.as_deref().unwrap_or_default().to_lowercase();
        let mut found = Vec::new();
        let mut best: Option<(u8, wgpu::Adapter)> = None;
        for adapter in adapters {
            let info = adapter.get_info();
            let computes =
                adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
            found.push(match computes {
                true => info.name.clone(),
                false => format!("{} without compute shaders", info.name),
            });
            let rank = match info.device_type {
                wgpu::DeviceType::DiscreteGpu => 0,
                wgpu::DeviceType::IntegratedGpu => 1,
                wgpu::DeviceType::VirtualGpu => 2,
                wgpu::DeviceType::Other => 3,
                wgpu::DeviceType::Cpu => 4,
            };
            let better = best.as_ref().is_none_or(|(other, _)| rank < *other);
            if computes && info.name.to_lowercase().contains(&wanted) && better {
                best = Some((rank, adapter));
            }
        }
        best.map(|(_, adapter)| adapter).ok_or_else(|| {
            let found = if found.is_empty() { "no adapter at all".into() } else { found.join(", ") };
            Error::NoAdapter {
                searched: match &self.name {
                    Some(name) => format!("looked for {name:?}, found {found}"),
                    None => format!("found {found}"),
                },
            }
        })
    }
}

#[cfg(not(target_arch = "wasm32"))]
async fn adapters(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    instance.enumerate_adapters(wgpu::Backends::all().with_env()).await
}

/// A browser shows one adapter at most.
#[cfg(target_arch = "wasm32")]
async fn adapters(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    instance.request_adapter(&Default::default()).await.into_iter().collect()
}
