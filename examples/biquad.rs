//! A low-pass filter for sound, a biquad: a linear recurrence of the second order, all samples at once.
//!
//! ```text
//! cargo run --release --example biquad                      # a recording of alsa-utils, or else a chord
//! cargo run --release --example biquad -- IN.wav OUT.wav    # your own 16-bit PCM file
//! ```
//!
//! Compares with a loop in f64.

use std::{
    error::Error,
    f64::consts::{FRAC_1_SQRT_2, TAU},
    fs::File,
    io::BufReader,
    path::PathBuf,
};

use gpuscan::{Device, GpuRecurrence};
use hound::{SampleFormat, WavReader, WavSpec, WavWriter};

/// What Debian's alsa-utils installs: a voice, 48 kHz, one channel.
const RECORDING: &str = "/usr/share/sounds/alsa/Front_Center.wav";
/// Where the filter begins to cut, in Hz.
const CUT: f64 = 1000.0;
/// The most that a sample may be off from the loop's, of a full scale of 1.
const TOLERANCE: f64 = 1e-4;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let input = paths.next().or_else(|| Some(PathBuf::from(RECORDING)).filter(|path| path.exists()));
    let output = paths.next().unwrap_or_else(|| std::env::temp_dir().join("gpuscan-biquad.wav"));
    let (spec, samples) = match input {
        Some(path) => read(&path).map_err(|error| format!("{}: {error}", path.display()))?,
        None => {
            println!("{RECORDING} is not here: a chord instead");
            chord()
        }
    };
    let device = Device::new().unwrap_or_else(|error| {
        println!("{error}\nOn the CPU, then:");
        Device::cpu()
    });
    println!("{device}");

    let filter = Biquad::low_pass(CUT / f64::from(spec.sample_rate));
    let mut filtered = vec![0.0f32; samples.len()];
    let mut worst = 0.0f64;
    let channels = usize::from(spec.channels);
    for channel in 0..channels {
        let signal: Vec<f32> = samples.iter().skip(channel).step_by(channels).copied().collect();
        let found = filter.at_once(&device, &signal)?;
        for (&found, wanted) in found.iter().zip(filter.one_by_one(&signal)) {
            worst = worst.max((f64::from(found) - wanted).abs());
        }
        for (place, &value) in filtered.iter_mut().skip(channel).step_by(channels).zip(&found) {
            *place = value;
        }
    }
    write(&output, spec, &filtered)?;
    println!("{} samples at {} Hz, loudness {:.4}", samples.len(), spec.sample_rate, loudness(&samples));
    println!("below {CUT} Hz: loudness {:.4}, in {}", loudness(&filtered), output.display());
    println!("off from a loop in f64 by at most {worst:.1e}");
    match worst < TOLERANCE {
        true => Ok(()),
        false => Err(format!("expected at most {TOLERANCE:.0e}").into()),
    }
}

/// y₍ᵢ₎ = b₀·x₍ᵢ₎ + b₁·x₍ᵢ₋₁₎ + b₂·x₍ᵢ₋₂₎ − a₁·y₍ᵢ₋₁₎ − a₂·y₍ᵢ₋₂₎, from silence.
struct Biquad {
    a: [f64; 2],
    b: [f64; 3],
}

impl Biquad {
    /// Second-order Butterworth by the bilinear transform, as in R. Bristow-Johnson's "Audio EQ Cookbook"; the
    /// frequency is a part of the sampling rate.
    fn low_pass(frequency: f64) -> Self {
        let (sin, cos) = (TAU * frequency).sin_cos();
        let alpha = sin * FRAC_1_SQRT_2;
        let scale = 1.0 / (1.0 + alpha);
        let edge = (1.0 - cos) / 2.0 * scale;
        Self { a: [-2.0 * cos * scale, (1.0 - alpha) * scale], b: [edge, 2.0 * edge, edge] }
    }

    /// The part that looks at inputs only.
    fn inputs<'a>(&'a self, signal: &'a [f32]) -> impl Iterator<Item = f64> + 'a {
        let [b0, b1, b2] = self.b;
        signal.iter().scan([0.0f64; 2], move |last, &x| {
            let x = f64::from(x);
            let sum = b0 * x + b1 * last[0] + b2 * last[1];
            *last = [x, last[0]];
            Some(sum)
        })
    }

    fn at_once(&self, device: &Device, signal: &[f32]) -> Result<Vec<f32>, gpuscan::Error> {
        let [a1, a2] = self.a.map(|a| -a as f32);
        let steps: Vec<[f32; 3]> = self.inputs(signal).map(|sum| [a1, a2, sum as f32]).collect();
        GpuRecurrence::new(device, [0.0f32; 2]).solve(&device.upload(&steps)?)?.to_vec()
    }

    fn one_by_one<'a>(&'a self, signal: &'a [f32]) -> impl Iterator<Item = f64> + 'a {
        let [a1, a2] = self.a;
        self.inputs(signal).scan([0.0f64; 2], move |last, sum| {
            *last = [sum - a1 * last[0] - a2 * last[1], last[0]];
            Some(last[0])
        })
    }
}

/// Samples from -1 to 1, channel by channel for each moment.
fn read(path: &PathBuf) -> Result<(WavSpec, Vec<f32>), Box<dyn Error>> {
    let reader = WavReader::new(BufReader::new(File::open(path)?))?;
    let spec = reader.spec();
    match (spec.sample_format, spec.bits_per_sample) {
        (SampleFormat::Int, 16) => {}
        (format, bits) => return Err(format!("expected 16-bit PCM, found {bits} bits, {format:?}").into()),
    }
    let samples = reader.into_samples::<i16>().map(|sample| Ok(f32::from(sample?) / 32768.0));
    Ok((spec, samples.collect::<Result<_, hound::Error>>()?))
}

fn write(path: &PathBuf, spec: WavSpec, samples: &[f32]) -> Result<(), hound::Error> {
    let mut writer = WavWriter::create(path, spec)?;
    for sample in samples {
        writer.write_sample((sample * 32768.0).round() as i16)?; // `as` stays within the limits of i16
    }
    writer.finalize()
}

/// A second of a low, a middle and a high tone.
fn chord() -> (WavSpec, Vec<f32>) {
    let spec =
        WavSpec { channels: 1, sample_rate: 48_000, bits_per_sample: 16, sample_format: SampleFormat::Int };
    let sample = |i: u32| {
        let tone = |hz: f64| (TAU * hz * f64::from(i) / f64::from(spec.sample_rate)).sin();
        (0.3 * (tone(220.0) + tone(880.0) + tone(5000.0))) as f32
    };
    (spec, (0..spec.sample_rate).map(sample).collect())
}

/// The root of the mean square.
fn loudness(samples: &[f32]) -> f64 {
    let squares: f64 = samples.iter().map(|&sample| f64::from(sample).powi(2)).sum();
    (squares / samples.len().max(1) as f64).sqrt()
}
