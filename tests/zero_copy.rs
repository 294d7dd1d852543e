//! Memory that wgpu and CUDA share. What needs both is `by_turns`:
//! `GPUSCAN_BACKEND=cuda cargo test --features cuda --test zero_copy`. Without an NVIDIA GPU there is `refused`, which
//! looks at what is said then.
#![cfg(feature = "cuda")]

mod common;

use common::{application, inputs::values, on_wgpu, oracle};
use gpuscan::{Device, Error, GpuScan, SharedBuffer};

/// Whether a CUDA device has to be there.
fn cuda_is_tested() -> bool {
    std::env::var("GPUSCAN_BACKEND").is_ok_and(|backend| backend == "cuda")
}

mod refused {
    use super::*;

    #[test]
    fn without_cuda() {
        let wgpu = on_wgpu(Device::request());
        let error = match wgpu.cuda_beside() {
            Ok(cuda) => {
                SharedBuffer::<u32>::new(&wgpu, &cuda, 1).expect("both are there");
                return;
            }
            Err(error) => error,
        };
        assert!(!cuda_is_tested(), "{error}");
        let text = error.to_string();
        let expected = match error {
            Error::MissingLibrary { .. } => {
                "the library libcuda.so.1 was not found: NVIDIA's display driver brings it"
            }
            Error::NoDevice { .. } => "the adapter NVIDIA's driver gave no device: ",
            _ => "wgpu and CUDA share no memory here: expected ",
        };
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn other_devices() {
        let (wgpu, cpu) = (on_wgpu(Device::request()), Device::cpu());
        let error = cpu.cuda_beside().expect_err("not a GPU");
        assert_eq!(
            error.to_string(),
            "a device to find CUDA beside is on the wrong device: expected a wgpu device, found the CPU backend"
        );
        for (first, second, expected) in [
            (&cpu, &wgpu, "the wgpu half of shared memory"),
            (&cpu, &cpu, "the wgpu half of shared memory"),
            (&wgpu, &cpu, "the CUDA half of shared memory"),
            (&wgpu, &wgpu, "the CUDA half of shared memory"),
        ] {
            let error = SharedBuffer::<f32>::new(first, second, 10).expect_err("not one of each");
            assert!(matches!(error, Error::WrongDevice { what, .. } if what == expected), "{error:?}");
        }
    }

    #[test]
    fn threads_may_share_it() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<SharedBuffer<f32>>();
    }
}

mod by_turns {
    use std::thread;

    use gpuscan::{
        Algorithm, GpuBuffer, GpuRadixSort, Sum,
        cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode},
        wgpu,
    };

    use super::*;

    /// One GPU twice.
    struct Pair {
        wgpu: Device,
        cuda: Device,
    }

    fn beside(wgpu: Device) -> Pair {
        let cuda =
            wgpu.cuda_beside().unwrap_or_else(|error| panic!("these tests need CUDA and wgpu: {error}"));
        Pair { wgpu, cuda }
    }

    fn pair() -> Pair {
        beside(on_wgpu(Device::request()))
    }

    impl Pair {
        fn share(&self, len: usize) -> SharedBuffer<f32> {
            SharedBuffer::new(&self.wgpu, &self.cuda, len).expect("shared memory")
        }
    }

    fn sums(input: &[f32], exclusive: bool) -> Vec<f32> {
        oracle::expected(&Sum, Algorithm::Auto, input, exclusive)
    }

    fn assert_holds(buffer: &GpuBuffer<f32>, wanted: &[f32], what: &str) {
        oracle::assert_bits(&buffer.to_vec().expect("download"), wanted, what);
    }

    /// From wgpu to CUDA, scanned there, and back.
    fn there_and_back(pair: &Pair, shared: &SharedBuffer<f32>, seed: u64) {
        let input = values::<f32>(seed, shared.len());
        shared.to_wgpu().and_then(|buffer| buffer.write(&input)).expect("written");
        let there = shared.to_cuda().expect("handed over");
        GpuScan::new(&pair.cuda).inclusive_in_place(&there).expect("a scan");
        let back = shared.to_wgpu().expect("handed over");
        assert_holds(&back, &sums(&input, false), &format!("{} elements", input.len()));
    }

    #[test]
    fn scans_of_any_length() {
        let pair = pair();
        for len in [1, 2, 3, 7, 1000, 4099, 16_384, 16_385, 270_000, 1_000_003] {
            there_and_back(&pair, &pair.share(len), len as u64);
        }
        let empty = pair.share(0);
        assert!(empty.is_empty());
        there_and_back(&pair, &empty, 0);
    }

    #[test]
    fn much_memory() {
        let pair = pair();
        there_and_back(&pair, &pair.share((1 << 26) + 3), 1);
    }

    #[test]
    fn new_memory_is_zero_for_both() {
        let pair = pair();
        let shared = pair.share(100_001);
        assert_holds(&shared.wgpu().expect("wgpu's first"), &vec![0.0; 100_001], "by wgpu");
        assert_holds(&pair.share(100_001).to_cuda().expect("handed over"), &vec![0.0; 100_001], "by CUDA");
    }

    /// Devices of this crate wait for each other. Those of an application have no such semaphores unless it asks for
    /// them: the host waits.
    #[test]
    fn with_timelines_and_without() {
        let pair = pair();
        let shared = pair.share(300_001);
        assert!(!shared.blocks(), "NVIDIA's drivers have timelines");
        there_and_back(&pair, &shared, 1);

        let (info, device, queue) = application();
        let pair = beside(Device::from_wgpu(info, device, queue).expect("a context"));
        let shared = pair.share(300_001);
        assert!(shared.blocks());
        for seed in 0..5 {
            there_and_back(&pair, &shared, seed);
        }
    }

    /// Many hand-overs on the way, with work on both sides and nothing that waits for it.
    #[test]
    fn handed_over_again_and_again() {
        let pair = pair();
        let shared = pair.share(200_003);
        let (of_wgpu, of_cuda) = (GpuScan::new(&pair.wgpu), GpuScan::new(&pair.cuda));
        for round in 0..20 {
            let input = values::<f32>(round, shared.len());
            let mut wanted = input.iter().map(|value| value * 1e-6).collect::<Vec<_>>();
            shared.to_wgpu().and_then(|buffer| buffer.write(&wanted)).expect("written");
            for turn in 0..4 {
                let exclusive = (round + turn) % 2 == 1;
                let (scan, buffer) = match turn % 2 {
                    0 => (&of_cuda, shared.to_cuda()),
                    _ => (&of_wgpu, shared.to_wgpu()),
                };
                let buffer = buffer.expect("handed over");
                match exclusive {
                    false => scan.inclusive_in_place(&buffer),
                    true => scan.exclusive_in_place(&buffer),
                }
                .expect("a scan");
                wanted = sums(&wanted, exclusive);
            }
            let last = if round % 2 == 0 { shared.to_wgpu() } else { shared.to_cuda() };
            assert_holds(&last.expect("handed over"), &wanted, &format!("round {round}"));
        }
    }

    /// Between shared memory and each side's own.
    #[test]
    fn beside_other_buffers() {
        let pair = pair();
        let input = values::<f32>(4, 50_021);
        let (first, second) = (pair.share(input.len()), pair.share(input.len()));
        first.wgpu().and_then(|buffer| buffer.write(&input)).expect("written");
        let scan = GpuScan::new(&pair.cuda);
        let own = scan.exclusive(&first.to_cuda().expect("handed over")).expect("a scan");
        scan.inclusive_into(&own, &second.to_cuda().expect("handed over")).expect("a scan");
        let once = sums(&input, true);
        assert_holds(&own, &once, "CUDA's own");
        let found = second.to_wgpu().expect("handed over");
        assert_holds(&found, &sums(&once, false), "back from CUDA");
        // An odd slice, by wgpu, of what CUDA wrote.
        let part =
            GpuScan::new(&pair.wgpu).inclusive(&found.slice(3..40_000).expect("a slice")).expect("a scan");
        assert_holds(&part, &sums(&sums(&once, false)[3..40_000], false), "a slice");
    }

    /// Kernels that are translated use it as well.
    #[test]
    fn other_primitives() {
        let pair = pair();
        let shared = SharedBuffer::<u32>::new(&pair.wgpu, &pair.cuda, 100_003).expect("shared memory");
        let mut input = values::<u32>(9, shared.len());
        shared.wgpu().and_then(|buffer| buffer.write(&input)).expect("written");
        let sorted =
            GpuRadixSort::new(&pair.cuda).sort(&shared.to_cuda().expect("handed over")).expect("a sort");
        input.sort_unstable();
        assert_eq!(sorted.to_vec().expect("download"), input);
    }

    const DOUBLE: &str = "
        @group(0) @binding(0) var<storage, read_write> values: array<f32>;
        @compute @workgroup_size(64) fn double(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < arrayLength(&values) { values[id.x] *= 2.0; }
        }";

    /// WGSL of an application's own, by a bind group that is made once.
    #[test]
    fn in_an_application() {
        let pair = pair();
        let len = 100_001;
        let shared = pair.share(len);
        let (device, queue) =
            (pair.wgpu.wgpu_device().expect("a device"), pair.wgpu.wgpu_queue().expect("a queue"));
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(DOUBLE.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
        let view = shared.wgpu().expect("wgpu's first");
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: view.wgpu_buffer().expect("a buffer").as_entire_binding(),
            }],
        });
        let mut wanted: Vec<f32> = values::<f32>(5, len).iter().map(|value| value * 1e-9).collect();
        view.write(&wanted).expect("written");
        for _ in 0..3 {
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups((len as u32 + 3).div_ceil(64), 1, 1);
            drop(pass);
            queue.submit([encoder.finish()]);
            let there = shared.to_cuda().expect("handed over");
            GpuScan::new(&pair.cuda).inclusive_in_place(&there).expect("a scan");
            shared.to_wgpu().expect("handed over");
            wanted = sums(&wanted.iter().map(|value| value * 2.0).collect::<Vec<_>>(), false);
        }
        assert_holds(&view, &wanted, "doubled and scanned by turns");
    }

    #[test]
    fn one_side_at_a_time() {
        let pair = pair();
        let shared = pair.share(1000);
        let of_wgpu = shared.wgpu().expect("wgpu's first");
        let error = shared.cuda().expect_err("wgpu's first");
        let text = "shared memory is on the wrong device: expected that SharedBuffer::to_cuda had handed it over, \
                    found the wgpu device has it";
        assert_eq!(error.to_string(), text);

        let of_cuda = shared.to_cuda().expect("handed over");
        shared.to_cuda().expect("CUDA has it already");
        for error in [
            shared.wgpu().map(|_| ()).expect_err("CUDA's"),
            of_wgpu.to_vec().map(|_| ()).expect_err("CUDA's"),
            of_wgpu.write(&[0.0; 1000]).expect_err("CUDA's"),
            GpuScan::new(&pair.wgpu).inclusive_in_place(&of_wgpu).expect_err("CUDA's"),
            GpuScan::new(&pair.cuda).inclusive_in_place(&of_wgpu).expect_err("another device's view"),
            GpuScan::new(&pair.wgpu).inclusive_in_place(&of_cuda).expect_err("another device's view"),
        ] {
            assert!(matches!(error, Error::WrongDevice { .. }), "{error:?}");
        }
        assert_eq!(of_cuda.to_vec().expect("download").len(), 1000);

        shared.to_wgpu().expect("handed over");
        shared.to_wgpu().expect("wgpu has it already");
        for error in [
            of_cuda.to_vec().map(|_| ()).expect_err("wgpu's"),
            of_cuda.write(&[0.0; 1000]).expect_err("wgpu's"),
            GpuScan::new(&pair.cuda).inclusive(&of_cuda).map(|_| ()).expect_err("wgpu's"),
            of_cuda.clone().into_cuda().map(|_| ()).expect_err("wgpu's"),
        ] {
            assert!(matches!(error, Error::WrongDevice { what: "shared memory", .. }), "{error:?}");
        }
        shared.to_cuda().expect("handed over");
        let error = of_cuda.clone().into_cuda().expect_err("not CUDA's own");
        assert!(matches!(error, Error::Usage { .. }), "{error:?}");
    }

    #[test]
    fn a_capture_hands_nothing_over() {
        let pair = pair();
        let stream = pair.cuda.cuda_stream().expect("a stream").clone();
        let shared = pair.share(1000);
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).expect("a capture");
        let error = shared.to_cuda().expect_err("the stream is captured");
        let another = SharedBuffer::<u32>::new(&pair.wgpu, &pair.cuda, 1).map(|_| ());
        stream.end_capture(CUgraphInstantiate_flags(0)).expect("the capture is whole");
        assert!(matches!(error, Error::Driver { what: "handing shared memory over", .. }), "{error:?}");
        assert!(matches!(another, Err(Error::Driver { .. })), "{another:?}");
        there_and_back(&pair, &shared, 2);
    }

    #[test]
    fn from_several_threads() {
        let pair = pair();
        thread::scope(|scope| {
            for thread in 0..4 {
                let pair = &pair;
                scope.spawn(move || {
                    let shared = pair.share(20_000 + thread);
                    for round in 0..20 {
                        there_and_back(pair, &shared, (thread * 100 + round) as u64);
                    }
                });
            }
        });
    }

    /// Memory lives as long as its users, whoever goes first, and whatever is still to be done.
    #[test]
    fn given_back_in_any_order() {
        for order in 0..4 {
            let Pair { wgpu, cuda } = pair();
            let input = values::<f32>(order, 500_000);
            let shared = SharedBuffer::<f32>::new(&wgpu, &cuda, input.len()).expect("shared memory");
            shared.wgpu().and_then(|buffer| buffer.write(&input)).expect("written");
            let there = shared.to_cuda().expect("handed over");
            GpuScan::new(&cuda).inclusive_in_place(&there).expect("a scan");
            match order {
                0 => drop((shared, wgpu)),
                1 => drop((wgpu, cuda, shared)),
                2 => {
                    let back = shared.to_wgpu().expect("handed over");
                    drop((shared, there, cuda));
                    assert_holds(&back, &sums(&input, false), "after CUDA's device");
                    continue;
                }
                _ => {
                    shared.to_wgpu().expect("handed over");
                    drop((there, shared, cuda, wgpu));
                    continue;
                }
            }
            assert_holds(&there, &sums(&input, false), "after wgpu's device");
        }
        let pair = pair();
        for len in 1..200 {
            drop(pair.share(len * 1000));
        }
        there_and_back(&pair, &pair.share(1000), 3);
    }

    #[test]
    fn too_much() {
        let pair = pair();
        let error = SharedBuffer::<f32>::new(&pair.wgpu, &pair.cuda, 1 << 44).expect_err("64 TiB");
        assert!(matches!(error, Error::TooLarge { what: "shared memory", .. }), "{error:?}");
        there_and_back(&pair, &pair.share(1000), 3);
    }
}
