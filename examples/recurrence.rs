//! Exponential smoothing of a noisy signal, as a scan: every value depends on the one before it, and all are
//! computed at once. Prints a picture of a part of it, and compares with a loop.

use std::error::Error;

use gpuscan::{Device, GpuRecurrence};

const LEN: usize = 1 << 20;
/// The part of the old value that stays.
const KEPT: f32 = 0.95;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::new().unwrap_or_else(|error| {
        println!("{error}\nOn the CPU, then:");
        Device::cpu()
    });
    println!("{device}");
    let signal: Vec<f32> = (0..LEN as u32).map(|i| wave(i) + noise(i)).collect();
    let steps: Vec<[f32; 2]> = signal.iter().map(|&value| [KEPT, (1.0 - KEPT) * value]).collect();
    let smooth = GpuRecurrence::new(&device, 0.0f32).solve(&device.upload(&steps)?)?.to_vec()?;

    let mut before = 0.0f64;
    let mut worst = 0.0f64;
    for (&[a, b], &found) in steps.iter().zip(&smooth) {
        before = f64::from(a) * before + f64::from(b);
        worst = worst.max((before - f64::from(found)).abs());
    }
    println!("    . the signal, # smoothed");
    for i in (1000..1600).step_by(20) {
        let place = |value: f32| ((value + 2.0) * 15.0).clamp(0.0, 60.0) as usize;
        let mut line = vec![b' '; 61];
        line[place(signal[i])] = b'.';
        line[place(smooth[i])] = b'#';
        println!("{i:5} {}", String::from_utf8_lossy(&line));
    }
    println!("{LEN} values, off from a loop in f64 by at most {worst:.1e}");
    match worst < 1e-5 {
        true => Ok(()),
        false => Err("that is too much".into()),
    }
}

fn wave(i: u32) -> f32 {
    (i as f32 * std::f32::consts::TAU / 400.0).sin()
}

/// From -1 to 1, a hash of the index.
fn noise(i: u32) -> f32 {
    let mut x = i.wrapping_mul(0x9E37_79B9);
    x = (x ^ (x >> 16)).wrapping_mul(0x7FEB_352D);
    (x >> 8) as f32 / (1 << 23) as f32 - 1.0
}
