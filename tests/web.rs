//! In a browser: the same checker, against the CPU compiled to the same module. `cargo xtask web test` runs it.
#![cfg(target_arch = "wasm32")]

mod common;

use std::cell::OnceCell;

use common::{
    checker::check_async,
    inputs::{Sample, values},
    oracle::assert_bits,
};
use gpuscan::{Algorithm, Device, Element, Error, GpuScan, Monoid, Sum, trace, wgpu};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Around quads, textbook tiles and tiles; the last crosses a block.
const SIZES: [usize; 10] = [0, 1, 3, 5, 257, 513, 4096, 4097, 8193, 20_001];

/// The device under test, made once: every device compiles its kernels anew.
async fn device() -> Device {
    thread_local! {
        static DEVICE: OnceCell<Device> = const { OnceCell::new() };
    }
    if let Some(device) = DEVICE.with(|device| device.get().cloned()) {
        return device;
    }
    let device = Device::request().await.expect("the tests need WebGPU");
    DEVICE.with(|cell| cell.get_or_init(|| device).clone())
}

async fn conforms<T: Sample>(algorithm: Algorithm)
where
    Sum: Monoid<T>,
{
    let device = device().await;
    for len in SIZES {
        if algorithm != Algorithm::SingleTile || len <= 4096 {
            check_async(&device, algorithm, &values::<T>(len as u64, len)).await;
        }
    }
}

macro_rules! conformance {
    ($($name:ident: $algorithm:ident of $element:ty;)*) => {
        $(#[wasm_bindgen_test]
        async fn $name() {
            conforms::<$element>(Algorithm::$algorithm).await;
        })*
    };
}

conformance! {
    auto_i32: Auto of i32;
    single_tile_f32: SingleTile of f32;
    three_pass_f32: ThreePass of f32;
    single_pass_f32: SinglePass of f32;
    hillis_steele_f32: HillisSteele of f32;
    blelloch_u32: Blelloch of u32;
}

/// The limits that every WebGPU has to offer are enough, and cut a long input into pieces.
#[wasm_bindgen_test]
async fn default_limits_are_enough() {
    let adapter = wgpu::Instance::default().request_adapter(&Default::default()).await.expect("an adapter");
    let (wgpu_device, queue) = adapter.request_device(&Default::default()).await.expect("a device");
    assert_eq!(wgpu_device.limits().max_storage_buffers_per_shader_stage, 8);
    let device = Device::from_wgpu(adapter.get_info(), wgpu_device, queue).expect("enough");
    let floats = values::<f32>(5, 600_000);
    for algorithm in [Algorithm::ThreePass, Algorithm::SinglePass] {
        same_as_the_cpu(&device, algorithm, &floats).await;
    }
    let small = Device::request().max_binding(1 << 18).max_groups(40).await.expect("a device");
    same_as_the_cpu(&small, Algorithm::ThreePass, &floats).await;
}

async fn same_as_the_cpu<T: Element>(device: &Device, algorithm: Algorithm, values: &[T])
where
    Sum: Monoid<T>,
{
    let input = device.upload(values).expect("upload");
    let found = GpuScan::new(device).algorithm(algorithm).inclusive(&input).expect("a scan");
    let wanted = GpuScan::new(&Device::cpu()).inclusive_slice(values).expect("a scan");
    let found = found.read().await.expect("download");
    assert_bits(&found, &wanted, format_args!("{algorithm} of {} on {device}", values.len()));
}

#[wasm_bindgen_test]
async fn every_round_is_the_cpus() {
    let (device, cpu) = (device().await, Device::cpu());
    for len in [0, 1, 6, 8, 255, 256] {
        let numbers = values::<f32>(len as u64, len);
        let found = trace::hillis_steele_async(&device, &numbers).await.expect("a trace");
        assert_eq!(found, trace::hillis_steele_async(&cpu, &numbers).await.expect("a trace"));
        let found = trace::blelloch_async(&device, &numbers).await.expect("a trace");
        assert_eq!(found, trace::blelloch_async(&cpu, &numbers).await.expect("a trace"));
    }
}

/// An operator whose WGSL does not compile: the browser says so after the call.
#[derive(Clone)]
struct Broken;

impl Monoid<u32> for Broken {
    fn identity(&self) -> u32 {
        0
    }

    fn combine(&self, left: u32, _: u32) -> u32 {
        left
    }

    fn wgsl(&self) -> std::borrow::Cow<'static, str> {
        "fn identity() -> T { return T(); } fn combine(left: T, right: T) -> T { return nonsense; }".into()
    }
}

#[wasm_bindgen_test]
async fn late_errors_are_not_lost() {
    let device = device().await;
    let input = device.upload(&[1u32, 2, 3]).expect("upload");
    let output = GpuScan::with_monoid(&device, Broken).inclusive(&input).expect("no answer yet");
    let error = output.read().await.expect_err("an operator that does not compile");
    assert!(matches!(&error, Error::Driver { message, .. } if message.contains("nonsense")), "{error:?}");
    // Told once; the device goes on.
    let output = GpuScan::new(&device).inclusive(&input).expect("a scan");
    assert_eq!(output.read().await, Ok(vec![1, 3, 6]));
}

/// The browser keeps an application from buffers beyond the device's limits; so does this crate, with a number.
#[wasm_bindgen_test]
async fn too_much_is_an_error() {
    let device = device().await;
    let most = device.wgpu_device().expect("a GPU").limits().max_buffer_size;
    let error = device.zeros::<u32>((most / 4) as usize + 1).expect_err("more than a buffer holds");
    assert!(matches!(error, Error::TooLarge { expected, .. } if expected == most), "{error:?}");
}
