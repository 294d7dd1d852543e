//! What the tests share: the devices under test, inputs, the oracle, and the one checker.
//!
//! Every test runs on whatever adapter wgpu finds first; `cargo xtask test` runs them all on three software
//! drivers. Nothing is skipped for want of an adapter: the tests fail then, with the crate's own message.

// Each test target is a crate of its own and uses its part of this.
#![allow(dead_code)]

pub mod checker;
pub mod inputs;
pub mod oracle;
mod validation;

use std::sync::OnceLock;

use gpuscan::{Algorithm, Device, DeviceRequest, wgpu};

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

pub fn has_subgroups(device: &Device) -> bool {
    !device.describe().contains("no subgroups")
}

/// Whether the driver is a slow one: fewer and smaller inputs then, of every kind.
pub fn small() -> bool {
    std::env::var("GPUSCAN_TEST_SIZES").is_ok_and(|sizes| sizes == "small")
}

/// `full`, or `reduced` on a slow driver.
pub fn sized<T>(full: T, reduced: T) -> T {
    if small() { reduced } else { full }
}

/// All algorithms that take any input of `len` elements.
pub fn algorithms(len: usize) -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(move |&algorithm| match algorithm {
        // 4,096 elements are the most that a tile holds everywhere.
        Algorithm::SingleTile => len <= 4096,
        // Software drivers take seconds to compile each of its kernels: it has a file of its own.
        Algorithm::SinglePass => false,
        _ => true,
    })
}

/// Those of the canonical order.
pub fn canonical(len: usize) -> impl Iterator<Item = Algorithm> {
    algorithms(len).filter(|algorithm| algorithm.is_canonical())
}
