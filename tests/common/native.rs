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

/// Every device under test, made once: those of wgpu, or with `GPUSCAN_BACKEND=cuda` the CUDA device.
pub fn devices() -> &'static [Tested] {
    static CUDA: OnceLock<[Tested; 1]> = OnceLock::new();
    match cuda() {
        false => wgpu_devices(),
        true => CUDA.get_or_init(|| {
            let device = own(Device::request());
            println!("testing on {device}");
            [Tested { name: "CUDA", device }]
        }),
    }
}

/// wgpu's: with subgroup operations where the adapter has them, and without.
pub fn wgpu_devices() -> &'static [Tested] {
    static DEVICES: OnceLock<Vec<Tested>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let best = on_wgpu(Device::request());
        let plain = on_wgpu(Device::request().subgroups(false));
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

/// wgpu's devices, and the CPU.
pub fn wgpu_everywhere() -> impl Iterator<Item = Device> {
    wgpu_devices().iter().map(|tested| tested.device.clone()).chain([Device::cpu()])
}

/// One of these devices and the last, which is the CPU. Kernels are built of an operator, an element, and how lanes work
/// together, and a software driver takes a second for each combination: `what` is tested in one of the two ways of
/// working together, as the letters of its name have it.
pub fn one_of(devices: impl Iterator<Item = Device>, what: &str) -> Vec<Device> {
    let mut devices: Vec<Device> = devices.collect();
    let letters: usize = what.bytes().map(usize::from).sum();
    if devices.len() > 2 {
        devices.remove(letters % 2);
    }
    devices
}

/// Whether to test CUDA.
fn cuda() -> bool {
    match std::env::var("GPUSCAN_BACKEND") {
        Ok(backend) if backend == "cuda" => true,
        Ok(other) if other != "wgpu" => panic!("GPUSCAN_BACKEND: expected wgpu or cuda, found {other}"),
        _ => false,
    }
}

/// A device of a test's own, for tests that count what is made on it, or restrict it.
pub fn own(request: DeviceRequest) -> Device {
    match cuda() {
        false => on_wgpu(request),
        #[cfg(feature = "cuda")]
        true => request.cuda(0).unwrap_or_else(|error| panic!("the tests need a CUDA device: {error}")),
        #[cfg(not(feature = "cuda"))]
        true => panic!("GPUSCAN_BACKEND=cuda needs the feature cuda"),
    }
}

/// The same on wgpu, whatever is tested otherwise.
pub fn on_wgpu(request: DeviceRequest) -> Device {
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
