//! Random scans for as long as `GPUSCAN_SOAK_MINUTES` says, or a few seconds.

mod common;

use std::time::{Duration, Instant};

use common::{
    checker::{Case, Placement, Sharing, Way},
    devices,
    inputs::{Sample, hash, values},
    oracle::expected,
};
use gpuscan::{Algorithm, GpuScan, Monoid, Sum};

/// Seconds without a request for more.
const FEW: u64 = 5;

fn duration() -> Duration {
    match std::env::var("GPUSCAN_SOAK_MINUTES") {
        Err(_) => Duration::from_secs(FEW),
        Ok(minutes) => {
            let minutes: f64 = minutes.parse().expect("GPUSCAN_SOAK_MINUTES is a number of minutes");
            Duration::from_secs_f64(60.0 * minutes)
        }
    }
}

/// One scan, all of whose choices come from `seed`.
fn one<T: Sample>(seed: u64)
where
    Sum: Monoid<T>,
{
    let pick = |salt: u64, of: usize| (hash(seed ^ hash(salt)) % of as u64) as usize;
    let algorithm = Algorithm::ALL[pick(1, Algorithm::ALL.len())];
    // Each magnitude as often as the others, up to four blocks.
    let len = match algorithm {
        Algorithm::SingleTile => pick(2, 4097),
        _ => pick(2, 1 << pick(3, 21)),
    };
    let device = &devices()[pick(4, devices().len())].device;
    let sharing = [Sharing::Separate, Sharing::InPlace, Sharing::InputFirst, Sharing::OutputFirst];
    let placement =
        Placement { sharing: sharing[pick(5, 4)], before: [pick(6, 100), pick(7, 100)], after: pick(8, 9) };
    let exclusive = pick(9, 2) == 1;
    let input = values::<T>(seed, len);
    Case {
        device,
        scan: &GpuScan::new(device).algorithm(algorithm),
        exclusive,
        placement,
        input: &input,
        expected: &expected(&Sum, algorithm, &input, exclusive),
        what: &format!("scan {seed}: {algorithm} of {len} {}, exclusive: {exclusive}, on {device}", T::NAME),
    }
    .check([Way::Direct, Way::Encoded][pick(10, 2)]);
}

#[test]
fn random_scans_are_right_for_as_long_as_asked() {
    let (start, duration) = (Instant::now(), duration());
    let mut said = start;
    let mut seed = 0;
    while seed == 0 || start.elapsed() < duration {
        [one::<u32>, one::<i32>, one::<f32>][seed as usize % 3](seed);
        seed += 1;
        if said.elapsed() > Duration::from_secs(60) {
            said = Instant::now();
            println!("{seed} scans in {:.0} s", start.elapsed().as_secs_f64());
        }
    }
    println!("{seed} scans, all right");
    assert!(seed > 0);
}
