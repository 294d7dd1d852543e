//! Every bad call gives an error that says what was expected and what was found, and leaves all data as it
//! was. Nothing panics, and an application's own error handler never hears of it.

mod common;

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use common::{
    application, checker::record, devices, everywhere, on_wgpu, own, records, wgpu_devices, wgpu_everywhere,
};
use gpuscan::{Algorithm, Device, Error, GpuBuffer, GpuScan, Monoid, trace, wgpu};

/// What a buffer holds, which no failing call may change.
#[track_caller]
fn assert_untouched(buffer: &GpuBuffer<u32>, values: &[u32]) {
    assert_eq!(buffer.to_vec().expect("download"), values);
}

/// Every way to scan from one buffer into another.
fn all_ways(device: &Device, input: &GpuBuffer<u32>, output: &GpuBuffer<u32>) -> Vec<Result<(), Error>> {
    let mut results = Vec::new();
    for algorithm in Algorithm::ALL {
        let scan = GpuScan::new(device).algorithm(algorithm);
        results.push(scan.inclusive_into(input, output));
        results.push(scan.exclusive_into(input, output));
        if records(device) {
            results.push(record(device, |encoder| scan.encode_inclusive(encoder, input, output)));
            results.push(record(device, |encoder| scan.encode_exclusive(encoder, input, output)));
        }
    }
    results
}

fn wgpu_buffer(device: &Device, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.wgpu_device().expect("a GPU").create_buffer(&wgpu::BufferDescriptor {
        label: Some("a caller's buffer"),
        size,
        usage,
        mapped_at_creation: false,
    })
}

#[test]
fn lengths_that_differ() {
    for device in everywhere() {
        let input = device.upload(&[1u32, 2, 3]).expect("upload");
        for values in [&[7u32, 8][..], &[7, 8, 9, 10], &[]] {
            let output = device.upload(values).expect("upload");
            for result in all_ways(&device, &input, &output) {
                let error = result.expect_err("another length");
                let found = values.len() as u64;
                assert_eq!(error, Error::Length { what: "the output", expected: 3, found });
                let text = format!("the output has the wrong length: expected 3 elements, found {found}");
                assert_eq!(error.to_string(), text);
            }
            assert_untouched(&output, values);
        }
        let error = input.write(&[9]).expect_err("another length");
        assert_eq!(error, Error::Length { what: "the data to write", expected: 3, found: 1 });
        assert_untouched(&input, &[1, 2, 3]);
    }
}

#[test]
fn ranges_that_overlap() {
    let values: Vec<u32> = (0..100).collect();
    for device in everywhere() {
        let buffer = device.upload(&values).expect("upload");
        for (input, output) in [(0..50, 1..51), (50..100, 1..51), (0..50, 49..99), (20..70, 10..60)] {
            let bytes = |range: &std::ops::Range<usize>| 4 * range.start as u64..4 * range.end as u64;
            let wanted = Error::Overlap { input: bytes(&input), output: bytes(&output) };
            let input = buffer.slice(input).expect("a slice");
            let output = buffer.slice(output).expect("a slice");
            for result in all_ways(&device, &input, &output) {
                assert_eq!(result.expect_err("an overlap"), wanted);
            }
        }
        assert_untouched(&buffer, &values);
        let text = Error::Overlap { input: 0..200, output: 4..204 }.to_string();
        assert!(text.contains("input bytes 0..200") && text.contains("output bytes 4..204"), "{text}");
    }
}

#[test]
fn slices_beyond_the_end() {
    let (later, earlier) = (3, 2);
    for device in everywhere() {
        let buffer = device.upload(&[1u32, 2, 3]).expect("upload");
        let slice = buffer.slice(1..).expect("a slice");
        let error = slice.slice(0..3).expect_err("only two are left");
        assert_eq!(error, Error::Range { range: 0..3, unit: "elements", len: 2 });
        assert_eq!(error.to_string(), "the range 0..3 reaches beyond the 2 elements that are there");
        assert!(matches!(buffer.slice(..=usize::MAX), Err(Error::Range { .. })));
        assert!(matches!(buffer.slice(usize::MAX..), Err(Error::Range { .. })));
        assert!(matches!(buffer.slice(later..earlier), Err(Error::Range { .. })));
        assert_eq!(buffer.slice(3..).expect("nothing").len(), 0);
    }
}

#[test]
fn ranges_of_a_callers_buffer() {
    let (later, earlier) = (8, 4);
    for tested in wgpu_devices() {
        let device = &tested.device;
        let buffer = wgpu_buffer(device, 64, wgpu::BufferUsages::STORAGE);
        let wrap = |range| device.wrap::<f32>(buffer.clone(), range).map(|buffer| buffer.len());
        assert_eq!(wrap(4..64), Ok(15));
        assert_eq!(wrap(0..68), Err(Error::Range { range: 0..68, unit: "bytes", len: 64 }));
        assert_eq!(wrap(later..earlier), Err(Error::Range { range: later..earlier, unit: "bytes", len: 64 }));
        assert_eq!(
            wrap(u64::MAX..u64::MAX),
            Err(Error::Range { range: u64::MAX..u64::MAX, unit: "bytes", len: 64 })
        );
        let error = wrap(2..64).expect_err("half an element");
        assert_eq!(error, Error::Misaligned { what: "the start of a range", expected: 4, found: 2 });
        let text = "the start of a range is misaligned: expected a multiple of 4 bytes, found 2";
        assert_eq!(error.to_string(), text);
        assert_eq!(
            wrap(0..63),
            Err(Error::Misaligned { what: "the end of a range", expected: 4, found: 63 })
        );
    }
}

#[test]
fn usages_that_are_missing() {
    use wgpu::BufferUsages as Usage;
    for tested in wgpu_devices() {
        let device = &tested.device;
        let no_storage = wgpu_buffer(device, 64, Usage::COPY_SRC | Usage::COPY_DST);
        let error = device.wrap::<u32>(no_storage, 0..64).expect_err("no STORAGE");
        let Error::Usage { what, expected, found } = &error else { panic!("{error:?}") };
        assert_eq!(*what, "the wrapped buffer");
        assert!(expected.contains("STORAGE") && found.contains("COPY_SRC"), "{error}");
        let text = error.to_string();
        assert!(text.contains("expected") && text.contains("STORAGE") && text.contains("found"), "{text}");

        let only_storage = device.wrap::<u32>(wgpu_buffer(device, 64, Usage::STORAGE), 0..64);
        let only_storage = only_storage.expect("STORAGE is enough to wrap");
        let wanted = |what, expected: Usage| Error::Usage {
            what,
            expected: format!("{expected:?}"),
            found: format!("{:?}", Usage::STORAGE),
        };
        let error = only_storage.to_vec().expect_err("no COPY_SRC");
        assert_eq!(error, wanted("the downloaded buffer", Usage::COPY_SRC));
        let error = only_storage.write(&[0; 16]).expect_err("no COPY_DST");
        assert_eq!(error, wanted("the written buffer", Usage::COPY_DST));
        // It is enough to scan, too.
        let output = GpuScan::new(device).inclusive(&only_storage).expect("a scan");
        assert_eq!(output.to_vec().expect("download"), [0; 16]);
    }
}

#[test]
fn buffers_of_another_device() {
    let [device, other] = [(); 2].map(|()| own(Device::request()));
    for (device, other) in [(&device, &other), (&device, &Device::cpu()), (&Device::cpu(), &device)] {
        let here = device.upload(&[1u32, 2, 3]).expect("upload");
        let there = other.upload(&[4u32, 5, 6]).expect("upload");
        for (what, input, output) in [("the input", &there, &here), ("the output", &here, &there)] {
            for result in all_ways(device, input, output) {
                let error = result.expect_err("another device");
                let Error::WrongDevice { what: found_what, expected, found } = &error else {
                    panic!("{error:?}")
                };
                assert_eq!(*found_what, what);
                assert_eq!(*expected, device.describe());
                assert!(found.contains(&other.describe()), "{error}");
            }
        }
        let scan = GpuScan::new(device);
        assert!(matches!(scan.inclusive(&there), Err(Error::WrongDevice { what: "the input", .. })));
        assert!(matches!(scan.inclusive_in_place(&there), Err(Error::WrongDevice { what: "the input", .. })));
        assert_untouched(&here, &[1, 2, 3]);
        assert_untouched(&there, &[4, 5, 6]);
    }
}

/// A wrapped buffer does not say which device it belongs to, but wgpu knows: an error too, and the encoder
/// is as good as before.
#[test]
fn a_wrapped_buffer_of_another_device() {
    let (info, wgpu_device, queue) = application();
    let device = Device::from_wgpu(info, wgpu_device, queue).expect("a device");
    let (info, wgpu_device, queue) = application();
    let other = Device::from_wgpu(info, wgpu_device, queue).expect("a device");

    let there = other.upload(&[4u32, 5, 6, 7]).expect("upload");
    let stray = there.wgpu_buffer().expect("a GPU's").clone();
    let stray = device.wrap::<u32>(stray, 0..16).expect("cannot be told yet");
    let input = device.upload(&[1u32, 2, 3, 4]).expect("upload");
    let output = device.zeros::<u32>(4).expect("a buffer");
    let scan = GpuScan::new(&device);
    let result = record(&device, |encoder| {
        for (input, output) in [(&stray, &output), (&input, &stray), (&stray, &stray)] {
            let error = scan.encode_inclusive(encoder, input, output).expect_err("not its buffer");
            assert!(matches!(error, Error::Driver { .. }), "{error:?}");
        }
        scan.encode_inclusive(encoder, &input, &output)
    });
    result.expect("nothing was recorded by the calls that failed");
    assert_eq!(output.to_vec().expect("download"), [1, 3, 6, 10]);
    assert!(matches!(scan.inclusive_into(&stray, &output), Err(Error::Driver { .. })));
    assert!(matches!(stray.to_vec(), Err(Error::Driver { .. })));
    assert!(matches!(stray.write(&[0; 4]), Err(Error::Driver { .. })));
    assert_eq!(there.to_vec().expect("download"), [4, 5, 6, 7]);
}

#[test]
fn a_destroyed_buffer() {
    for tested in wgpu_devices() {
        let device = &tested.device;
        let gone = device.upload(&[1u32, 2, 3]).expect("upload");
        gone.wgpu_buffer().expect("a GPU's").destroy();
        let output = device.upload(&[7u32, 8, 9]).expect("upload");
        for result in all_ways(device, &gone, &output).into_iter().chain(all_ways(device, &output, &gone)) {
            assert!(matches!(result, Err(Error::Driver { .. })), "{result:?}");
        }
        assert!(matches!(gone.to_vec(), Err(Error::Driver { .. })));
        assert!(matches!(gone.write(&[0; 3]), Err(Error::Driver { .. })));
        assert_untouched(&output, &[7, 8, 9]);
    }
}

#[test]
fn the_cpu_takes_no_gpu_work() {
    let cpu = Device::cpu();
    let data = cpu.upload(&[1u32, 2, 3]).expect("upload");
    let device = &wgpu_devices()[0].device;
    let result = record(device, |encoder| GpuScan::new(&cpu).encode_inclusive(encoder, &data, &data));
    let wrong =
        |what| Error::WrongDevice { what, expected: "a wgpu device".into(), found: "the CPU backend".into() };
    assert_eq!(result, Err(wrong("recording a scan")));
    let buffer = wgpu_buffer(device, 64, wgpu::BufferUsages::STORAGE);
    assert_eq!(cpu.wrap::<u32>(buffer, 0..64).map(|_| ()), Err(wrong("wrapping a wgpu buffer")));
    assert!(cpu.wgpu_device().is_none() && cpu.wgpu_queue().is_none() && data.wgpu_buffer().is_none());
    assert_untouched(&data, &[1, 2, 3]);
}

#[test]
fn an_adapter_that_is_not_there() {
    let there = wgpu_devices()[0].device.describe();
    let name = there.split(" (").next().expect("a name");
    let error = Device::request().adapter("Voodoo 2").wait().expect_err("it is not there");
    let Error::NoAdapter { searched } = &error else { panic!("{error:?}") };
    assert!(searched.contains("Voodoo 2") && searched.contains(name), "{searched}");
    let text = error.to_string();
    for hint in [searched.as_str(), "mesa-vulkan-drivers", "libvulkan1", "vulkan-swrast", "Device::cpu()"] {
        assert!(text.contains(hint), "{text}");
    }
    // In any case, and in part.
    let request = Device::request().adapter(name[1..].to_uppercase());
    assert_eq!(on_wgpu(request).describe(), there);
}

#[test]
fn buffers_beyond_all_bounds() {
    for device in wgpu_everywhere() {
        for len in [usize::MAX, usize::MAX / 2 + 1, usize::MAX / 4, usize::MAX / 4 - 3, usize::MAX / 8] {
            let error = device.zeros::<u32>(len).expect_err("far too many");
            match (&error, device.is_cpu()) {
                (Error::OutOfMemory { bytes, .. }, true) => assert!(*bytes > 1 << 60, "{error}"),
                (Error::TooLarge { found, .. }, false) => assert!(*found > 1 << 60, "{error}"),
                _ => panic!("{error:?}"),
            }
        }
    }
}

/// An operator whose text is wrong.
#[derive(Clone)]
struct Broken(&'static str);

impl Monoid<u32> for Broken {
    fn identity(&self) -> u32 {
        0
    }

    fn combine(&self, left: u32, right: u32) -> u32 {
        left + right
    }

    fn wgsl(&self) -> Cow<'static, str> {
        self.0.into()
    }
}

#[test]
fn operators_that_do_not_compile() {
    let good = "fn identity() -> T { return 0u; }\n";
    for (place, text, message) in [
        // Naming line and column; for a type that does not fit, the line where its function starts.
        ("operator:3:14", "fn combine(left: T, right: T) -> T {\nreturn left <> right; }", "expected"),
        ("operator:3:15", "fn combine(left: T, right: T) -> T {\nreturn left + sight; }", "sight"),
        ("operator:2:1", "fn combine(left: T, right: T) -> T {\nreturn left + 1.5; }", "combine"),
    ] {
        let text: &'static str = format!("{good}{text}\n").leak();
        for tested in devices() {
            let device = &tested.device;
            let data = device.upload(&[1u32, 2, 3]).expect("upload");
            for algorithm in Algorithm::ALL {
                let scan = GpuScan::with_monoid(device, Broken(text)).algorithm(algorithm);
                let early = scan.of(&data).prepare(&data).expect_err("it does not compile");
                let error = scan.inclusive_in_place(&data).expect_err("it does not compile");
                assert_eq!(early.to_string(), error.to_string());
                let Error::Shader { place: found, message: said, .. } = &error else { panic!("{error:?}") };
                assert_eq!(found, place, "{error}");
                assert!(said.contains(message), "{error}");
                assert!(error.to_string().contains(&format!("at {place}")), "{error}");
            }
            assert_untouched(&data, &[1, 2, 3]);
        }
    }
    // What is missing altogether is named.
    for tested in devices() {
        let data = tested.device.upload(&[1u32, 2, 3]).expect("upload");
        let scan = GpuScan::with_monoid(&tested.device, Broken("fn identity() -> T { return 0u; }"));
        let error = scan.inclusive_in_place(&data).expect_err("there is no combine");
        assert_eq!(error.to_string(), "operator cannot be used: expected a function `combine`, found none");
        // The device is none the worse for it.
        GpuScan::new(&tested.device).inclusive_in_place(&data).expect("a scan");
        assert_untouched(&data, &[1, 3, 6]);
    }
}

/// Text that is more than an operator, and a map that is more than a function's body.
#[test]
fn operators_that_reach_beyond() {
    let good = "fn identity() -> T { return 0u; }\nfn combine(left: T, right: T) -> T { return left; }\n";
    for (text, place, what) in [
        ("@group(0) @binding(9) var<storage> mine: array<u32>;", "operator:3:1", "`@group`"),
        ("@compute @workgroup_size(1) fn mine() {}", "operator:3:1", "`@compute`"),
        ("var<private> mine: u32;", "operator:3:1", "`var<private>`"),
        ("fn write_element() {}", "operator:3:4", "`write_element`"),
    ] {
        let text: &'static str = format!("{good}{text}\n").leak();
        for tested in devices() {
            let data = tested.device.upload(&[1u32, 2, 3]).expect("upload");
            let scan = GpuScan::with_monoid(&tested.device, Broken(text)).algorithm(Algorithm::Blelloch);
            let error = scan.inclusive_in_place(&data).expect_err(text);
            assert!(matches!(error, Error::Operator { .. }), "{error:?}");
            assert!(error.to_string().starts_with(place) && error.to_string().contains(what), "{error}");
            assert_untouched(&data, &[1, 2, 3]);
        }
    }

    #[derive(Clone)]
    struct Escape(&'static str);
    impl gpuscan::Map<u32, u32> for Escape {
        fn apply(&self, value: u32) -> u32 {
            value
        }
        fn wgsl(&self) -> Cow<'static, str> {
            self.0.into()
        }
    }
    for tested in devices() {
        let data = tested.device.upload(&[1u32, 2, 3]).expect("upload");
        let scan = GpuScan::new(&tested.device).mapping(Escape("return value; }\nfn mine() {"));
        let error = scan.inclusive_in_place(&data).expect_err("it closes its function");
        assert!(error.to_string().starts_with("input map:1:15 cannot be used"), "{error}");
        let scan = GpuScan::new(&tested.device).mapping_results(Escape("let two = 2u;\nreturn value * too;"));
        let error = scan.inclusive_in_place(&data).expect_err("it does not compile");
        assert!(matches!(&error, Error::Shader { place, .. } if place == "result map:2:16"), "{error:?}");
    }
}

/// A call on a device, given two buffers of it.
type Call = fn(&Device, &GpuBuffer<u32>, &GpuBuffer<u32>) -> Result<(), Error>;

/// Whatever reaches a device.
const CALLS: [(&str, Call); 17] = [
    ("inclusive", |device, a, _| GpuScan::new(device).inclusive(a).map(|_| ())),
    ("exclusive", |device, a, _| GpuScan::new(device).exclusive(a).map(|_| ())),
    ("inclusive_into", |device, a, b| GpuScan::new(device).inclusive_into(a, b)),
    ("exclusive_into", |device, a, b| GpuScan::new(device).exclusive_into(a, b)),
    ("inclusive_in_place", |device, a, _| GpuScan::new(device).inclusive_in_place(a)),
    ("exclusive_in_place", |device, a, _| GpuScan::new(device).exclusive_in_place(a)),
    ("encode_inclusive", |device, a, b| {
        record(device, |encoder| GpuScan::new(device).encode_inclusive(encoder, a, b))
    }),
    ("encode_exclusive", |device, a, _| {
        record(device, |encoder| GpuScan::new(device).encode_exclusive(encoder, a, a))
    }),
    ("encode of nothing", |device, a, _| {
        let none = a.slice(..0)?;
        record(device, |encoder| GpuScan::new(device).encode_inclusive(encoder, &none, &none))
    }),
    ("inclusive_slice", |device, _, _| {
        // The canonical order would be scanned on the CPU.
        GpuScan::new(device).algorithm(Algorithm::Blelloch).inclusive_slice(&[1u32, 2, 3]).map(|_| ())
    }),
    ("upload", |device, _, _| device.upload(&[1u32, 2, 3]).map(|_| ())),
    ("zeros", |device, _, _| device.zeros::<u32>(100).map(|_| ())),
    ("write", |_, a, _| a.write(&vec![0; a.len()])),
    ("to_vec", |_, a, _| a.to_vec().map(|_| ())),
    ("to_vec of nothing", |_, a, _| a.slice(..0)?.to_vec().map(|_| ())),
    ("trace", |device, _, _| trace::blelloch(device, &[1u32, 2, 3]).map(|_| ())),
    ("wait", |device, _, _| device.wait()),
];

/// A device of ours, and one of an application's, of which only wgpu knows that it is lost. Each call is once
/// the first one to meet with the loss, and once a later one.
#[test]
fn a_lost_device() {
    type Make = fn() -> Device;
    let makes: [Make; 2] = [
        || on_wgpu(Device::request()),
        || {
            let (info, device, queue) = application();
            Device::from_wgpu(info, device, queue).expect("a device")
        },
    ];
    for make in makes {
        for (i, (name, call)) in CALLS.into_iter().enumerate() {
            let device = make();
            let a = device.upload(&[1u32; 10_000]).expect("upload");
            let b = device.zeros::<u32>(10_000).expect("a buffer");
            // Now and then with work in flight, and kernels there already.
            if i.is_multiple_of(6) {
                GpuScan::new(&device).inclusive_into(&a, &b).expect("a scan");
            }
            device.wgpu_device().expect("a GPU").destroy();
            for (name, call) in [(name, call)].into_iter().chain(CALLS) {
                let error = call(&device, &a, &b).expect_err(name);
                let Error::DeviceLost { reason } = &error else { panic!("{name}: {error:?}") };
                assert!(!reason.is_empty(), "{name}");
                assert_eq!(error.to_string(), format!("the device was lost: {reason}"));
            }
        }
    }
}

/// An application that panics at every error it did not expect never gets to see one.
#[test]
fn an_applications_error_handler_hears_nothing() {
    let (info, wgpu_device, queue) = application();
    let heard = Arc::new(AtomicUsize::new(0));
    let counter = heard.clone();
    wgpu_device.on_uncaptured_error(Arc::new(move |error| {
        counter.fetch_add(1, Ordering::Relaxed);
        panic!("the application was told of {error}");
    }));
    let device = Device::from_wgpu(info, wgpu_device, queue).expect("a device");
    let a = device.upload(&[1u32; 10_000]).expect("upload");
    let b = device.zeros::<u32>(10_000).expect("a buffer");
    for (name, call) in CALLS {
        call(&device, &a, &b).expect(name);
    }
    let broken = GpuScan::with_monoid(&device, Broken("fn identity() -> T { return 0.5; }"));
    assert!(broken.inclusive(&a).is_err());
    assert!(device.zeros::<u32>(usize::MAX).is_err());
    a.wgpu_buffer().expect("a GPU's").destroy();
    assert!(all_ways(&device, &a, &b).iter().all(Result::is_err));
    assert!(a.to_vec().is_err() && a.write(&[0; 10_000]).is_err());
    device.wgpu_device().expect("a GPU").destroy();
    for (name, call) in CALLS {
        call(&device, &a, &b).expect_err(name);
    }
    assert_eq!(heard.load(Ordering::Relaxed), 0);
}

/// Lost by wgpu itself, for want of memory, and not by being destroyed. Where the driver does not tell of
/// memory it is not lost, and everything works.
#[test]
fn a_device_lost_in_earnest() {
    // Installs what listens to the validation layer.
    wgpu_devices();
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.memory_budget_thresholds.for_device_loss = Some(0);
    let adapter = wgpu::Instance::new(descriptor).request_adapter(&Default::default());
    let adapter = pollster::block_on(adapter).expect("an adapter");
    let made = pollster::block_on(adapter.request_device(&Default::default()));
    let (device, queue) = made.expect("a device, at first");
    let device = Device::from_wgpu(adapter.get_info(), device, queue).expect("a device, at first");
    let a = device.upload(&[1u32; 100]).expect("upload");
    let b = device.zeros::<u32>(100).expect("a buffer");

    let lost = device.wait().is_err();
    let driver = std::env::var("GPUSCAN_TEST_DRIVER");
    assert!(lost || driver.as_deref() != Ok("lavapipe"), "this driver tells of memory");
    for (name, call) in CALLS {
        match call(&device, &a, &b) {
            Ok(()) => assert!(!lost, "{name}"),
            Err(error) => assert!(lost && matches!(error, Error::DeviceLost { .. }), "{name}: {error:?}"),
        }
    }
}

/// A device that cannot hold a tile in workgroup memory, or not 256 lanes.
#[test]
fn a_device_with_too_little() {
    let (info, _, _) = application();
    let make = |change: fn(&mut wgpu::Limits)| {
        let from_env = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        let instance = wgpu::Instance::new(from_env);
        let adapter = pollster::block_on(instance.request_adapter(&Default::default())).expect("an adapter");
        let mut required_limits = adapter.limits();
        change(&mut required_limits);
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        let made = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) = made.expect("a smaller device than the adapter could make");
        Device::from_wgpu(info.clone(), device, queue).map(|_| ())
    };
    let lanes = make(|limits| limits.max_compute_invocations_per_workgroup = 128);
    let wanted = Error::Unsupported { what: "invocations in a workgroup", expected: 256, found: 128 };
    assert_eq!(lanes, Err(wanted));
    let memory = make(|limits| limits.max_compute_workgroup_storage_size = 8 << 10);
    let wanted = Error::Unsupported { what: "bytes of workgroup memory", expected: 16 << 10, found: 8 << 10 };
    let text = "the device is too small: expected bytes of workgroup memory of at least 16384, found 8192";
    assert_eq!(wanted.to_string(), text);
    assert_eq!(memory, Err(wanted));
}
