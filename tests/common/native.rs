//! The devices under test, where a test may wait for one.

mod validation;

use std::sync::OnceLock;

use gpuscan::{Device, DeviceRequest, wgpu};

use super::has_subgroups;

/// A device under test.
pub struct Tested {
    pub name: &'static str,
    pub device: Device,
}

/// Every device under test, made once: with subgroup operations where the adapter has them, and without.
pub fn devices() -> &'static [Tested] {
    static DEVICES: OnceLock<Vec<Tested>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let best = own(Device::request());
        let plain = own(Device::request().subgroups(false));
        println!("testing on {best}");
        let mut devices = vec![Tested { name: "without subgroups", device: plain }];
        if has_subgroups(&best) {
            devices.insert(0, Tested { name: "with subgroups", device: best });
        } else {
            println!("this adapter has no subgroup operations that kernels can use");
        }
        devices
    })
}

/// The devices under test, and the CPU.
pub fn everywhere() -> impl Iterator<Item = Device> {
    devices().iter().map(|tested| tested.device.clone()).chain([Device::cpu()])
}

/// A device of a test's own, for tests that count what is made on it, restrict it or lose it.
pub fn own(request: DeviceRequest) -> Device {
    validation::install();
    request.wait().unwrap_or_else(|error| panic!("the tests need an adapter: {error}"))
}

/// A wgpu device as an application makes it: none of this crate's, with every limit the adapter has.
pub fn application() -> (wgpu::AdapterInfo, wgpu::Device, wgpu::Queue) {
    static ADAPTER: OnceLock<wgpu::Adapter> = OnceLock::new();
    validation::install();
    let adapter = ADAPTER.get_or_init(|| {
        let from_env = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        let request = wgpu::Instance::new(from_env).request_adapter(&Default::default());
        pollster::block_on(request).expect("the tests need an adapter")
    });
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: adapter.features() & wgpu::Features::SUBGROUP,
        required_limits: adapter.limits(),
        ..Default::default()
    }))
    .expect("the adapter gives a device");
    (adapter.get_info(), device, queue)
}
