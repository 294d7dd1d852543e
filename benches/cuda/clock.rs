//! Times on the device's clock: events around one run at a time (`benches/peers/README.md`, Clock).

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

use gpuscan::cudarc::{
    driver::{CudaFunction, CudaStream, LaunchConfig, PushKernelArg, sys::CUevent_flags},
    nvrtc::compile_ptx,
};

/// Occupies the stream while the host enqueues what is timed, so that gaps between launches do not count.
const HOLD: &str = r#"
extern "C" __global__ void hold(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}
"#;

pub struct Clock {
    stream: Arc<CudaStream>,
    hold: CudaFunction,
    samples: usize,
}

impl Clock {
    pub fn new(stream: &Arc<CudaStream>, samples: usize) -> Result<Self, Box<dyn Error>> {
        let module = stream.context().load_module(compile_ptx(HOLD)?)?;
        Ok(Self { stream: stream.clone(), hold: module.load_function("hold")?, samples })
    }

    /// Microseconds of each sample, sorted.
    pub fn time(&self, run: impl Fn() -> Result<(), Box<dyn Error>>) -> Result<Vec<f64>, Box<dyn Error>> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(150) {
            (0..8).try_for_each(|_| run())?;
            self.stream.synchronize()?;
        }
        let event = || self.stream.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let (before, after) = (event()?, event()?);
        let mut times = Vec::new();
        for _ in 0..self.samples {
            let cycles = 400_000i64; // some 200 microseconds
            let mut launch = self.stream.launch_builder(&self.hold);
            launch.arg(&cycles);
            let one = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
            #[allow(unsafe_code)]
            // SAFETY: the kernel takes one 64-bit integer and touches no memory.
            unsafe {
                launch.launch(one)?;
            }
            before.record(&self.stream)?;
            run()?;
            after.record(&self.stream)?;
            after.synchronize()?;
            times.push(f64::from(before.elapsed_ms(&after)?) * 1e3);
        }
        times.sort_by(f64::total_cmp);
        Ok(times)
    }
}
