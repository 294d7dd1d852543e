//! Memory goes from one Vulkan device to another of the same driver: there is no CUDA here.

use std::{
    os::fd::IntoRawFd,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use super::{
    allocation::{LEAST, memory_type},
    *,
};
use crate::{
    backend::{
        GpuMemory, Memory,
        shared::{Half, Side, Turn},
    },
    buffer::GpuBuffer,
    device::Device,
    scan::GpuScan,
};

fn device() -> Device {
    Device::new().unwrap_or_else(|error| panic!("the tests need an adapter: {error}"))
}

fn context(device: &Device) -> &Context {
    device.wgpu("").expect("a wgpu device")
}

/// What CUDA would do: the same memory as a buffer of another device.
fn import(context: &Context, handle: Handle) -> wgpu::Buffer {
    let taken = context.vulkan(|device| {
        let raw = device.raw_device();
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HANDLE);
        let info = vk::BufferCreateInfo::default()
            .size(handle.bytes.max(LEAST))
            .usage(USAGES)
            .push_next(&mut external);
        // SAFETY: the buffer is as large as the exporter's, and both devices are of one driver. The descriptor is
        // Vulkan's when the memory is there.
        unsafe {
            let buffer = raw.create_buffer(&info, None).expect("a buffer");
            let needs = raw.get_buffer_memory_requirements(buffer);
            assert_eq!(needs.size, handle.allocated);
            let mut import =
                vk::ImportMemoryFdInfoKHR::default().handle_type(HANDLE).fd(handle.file.into_raw_fd());
            let mut alone = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
            let mut info = vk::MemoryAllocateInfo::default()
                .allocation_size(handle.allocated)
                .memory_type_index(memory_type(device, needs.memory_type_bits)?)
                .push_next(&mut import);
            if handle.dedicated {
                info = info.push_next(&mut alone);
            }
            let memory = raw.allocate_memory(&info, None).expect("imported");
            raw.bind_buffer_memory(buffer, memory, 0).expect("bound");
            Ok(vulkan::Buffer::from_raw_managed(buffer, memory, 0, handle.allocated))
        }
    });
    // SAFETY: it was just made from this device, with these usages. The exporter has cleared it.
    unsafe {
        context.device.create_buffer_from_hal::<Vulkan>(
            taken.expect("imported"),
            &wgpu::BufferDescriptor {
                label: None,
                size: handle.bytes,
                usage: transfer::USAGES,
                mapped_at_creation: false,
            },
        )
    }
}

#[test]
fn memory_of_two_devices() {
    let devices = [device(), device()];
    let [here, there] = [&devices[0], &devices[1]].map(context);
    assert_eq!(here.uuid().expect("a UUID"), there.uuid().expect("a UUID"));
    for len in [1, 3, 1000, 16_384, 16_385, 100_003] {
        let Exported { buffer, memory } = here.export(4 * len).expect("exported");
        let imported = import(there, memory);
        let of_here = devices[0].wrap::<u32>(buffer.clone(), 0..4 * len).expect("a view");
        let of_there = devices[1].wrap::<u32>(imported.clone(), 0..4 * len).expect("a view");
        assert_eq!(of_here.to_vec().expect("download"), vec![0; len as usize], "new memory is zero");
        for turn in 1..4 {
            let input: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(turn) ^ turn).collect();
            of_here.write(&input).expect("written");
            here.release(&buffer).and_then(|()| here.wait()).expect("released");
            there.acquire(&imported).expect("acquired");
            GpuScan::new(&devices[1]).inclusive_in_place(&of_there).expect("a scan");
            there.release(&imported).and_then(|()| there.wait()).expect("released");
            here.acquire(&buffer).expect("acquired");
            let sums = input.iter().scan(0u32, |sum, value| {
                *sum = sum.wrapping_add(*value);
                Some(*sum)
            });
            assert!(of_here.to_vec().expect("download").into_iter().eq(sums), "{len} elements, turn {turn}");
        }
        // Either side may go first: the memory is there while it has a user.
        drop((of_here, buffer));
        here.wait().expect("done");
        assert_eq!(of_there.to_vec().expect("download").len(), len as usize);
    }
}

#[test]
fn views_work_by_turns() {
    let device = device();
    let Exported { buffer, .. } = context(&device).export(12).expect("exported");
    let turn = Arc::new(Turn::default());
    let half = Half::new(GpuMemory::Wgpu(buffer), Side::Wgpu, turn.clone());
    let view = GpuBuffer::<u32>::new(&device, Memory::Gpu(GpuMemory::Shared(half)), 0, 3);
    let scan = GpuScan::new(&device);
    view.write(&[1, 2, 3]).expect("written");
    turn.give(Side::Cuda);
    let errors = [
        view.write(&[0; 3]).expect_err("it is CUDA's"),
        view.to_vec().expect_err("it is CUDA's"),
        scan.inclusive(&view).expect_err("it is CUDA's"),
        scan.inclusive_in_place(&view.slice(1..).expect("a slice")).expect_err("it is CUDA's"),
    ];
    for error in errors {
        assert_eq!(
            error.to_string(),
            "shared memory is on the wrong device: expected that SharedBuffer::to_wgpu had handed it over, found \
             the CUDA device has it"
        );
    }
    assert!(view.wgpu_buffer().is_some(), "it may be bound");
    turn.give(Side::Wgpu);
    scan.inclusive_in_place(&view).expect("a scan");
    assert_eq!(view.to_vec().expect("download"), [1, 3, 6]);
}

/// The host stands in for CUDA: no software driver exports timelines.
#[test]
fn wgpu_follows_a_timeline() {
    let device = device();
    let context = context(&device);
    let none = vk::ExternalSemaphoreHandleTypeFlags::empty();
    let timeline = context.vulkan(|device| context.new_timeline(device, none)).expect("a timeline");
    let buffer = device.upload(&[1u32, 2, 3]).expect("upload");
    let done = Arc::new(AtomicBool::new(false));

    timeline.wait(1).expect("staged");
    GpuScan::new(&device).inclusive_in_place(&buffer).expect("a scan");
    let told = done.clone();
    context.queue.on_submitted_work_done(move || told.store(true, Ordering::Relaxed));
    thread::sleep(Duration::from_millis(50));
    context.device.poll(wgpu::PollType::Poll).expect("polled");
    assert!(!done.load(Ordering::Relaxed), "the scan waits");
    let raw = context.vulkan(|device| Ok(device.raw_device().clone())).expect("a device");
    let info = vk::SemaphoreSignalInfo::default().semaphore(timeline.semaphore).value(1);
    // SAFETY: the semaphore is a timeline below that value.
    unsafe { raw.signal_semaphore(&info) }.expect("signalled");
    context.wait().expect("done");
    assert!(done.load(Ordering::Relaxed), "the scan is done");
    assert_eq!(buffer.to_vec().expect("download"), [1, 3, 6]);

    timeline.signal(context, 2).expect("signalled");
    context.wait().expect("done");
    // SAFETY: the semaphore is a timeline.
    assert_eq!(unsafe { raw.get_semaphore_counter_value(timeline.semaphore) }.expect("a value"), 2);
    // What was staged in vain is not waited for.
    timeline.wait(7).expect("staged");
    drop(timeline);
    assert_eq!(buffer.to_vec().expect("download"), [1, 3, 6]);
}

#[test]
fn errors_name_what_is_missing() {
    let large = Device::request().max_buffer(1 << 20).wait().expect("a device");
    let error = context(&large).export(2 << 20).map(|_| ()).expect_err("more than the device takes");
    let expected =
        Error::TooLarge { what: "shared memory", unit: "bytes", expected: 1 << 20, found: 2 << 20 };
    assert_eq!(error, expected);

    let device = device();
    let Exported { buffer, .. } = context(&device).export(4).expect("exported");
    buffer.destroy();
    let error = context(&device).release(&buffer).expect_err("it was destroyed");
    assert_eq!(error.to_string(), "the driver refused handing shared memory over: the buffer was destroyed");

    let gone = self::device();
    context(&gone).device.destroy();
    let error = context(&gone).export(4).map(|_| ()).expect_err("it was destroyed");
    assert!(matches!(error, Error::DeviceLost { .. }), "{error:?}");
    assert!(matches!(context(&gone).timeline(), Err(Error::DeviceLost { .. })));

    let extension = c"VK_FOR_nobody";
    let error =
        context(&device).vulkan(|device| enabled(device, extension, "this GPU")).expect_err("not one");
    assert_eq!(
        error.to_string(),
        "wgpu and CUDA share no memory here: expected a Vulkan device with VK_FOR_nobody, found this GPU without"
    );
}

/// A device of no driver at all.
#[test]
fn only_vulkan_exports() {
    let (device, queue) = wgpu::Device::noop(&Default::default());
    let device = Device::from_wgpu(device.adapter_info(), device, queue).expect("a context");
    let error = device.cuda_beside().expect_err("not on Vulkan");
    assert_eq!(
        error.to_string(),
        "wgpu and CUDA share no memory here: expected a wgpu device on Vulkan, found one on Noop"
    );
}

#[test]
fn uuids_are_printed_as_nvidia_does() {
    let uuid =
        [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];
    assert_eq!(shown(&uuid), "12345678-9abc-def0-0123-456789abcdef");
}
