//! Blurs a picture by averages of boxes: however large a box is, it takes four look-ups in an integral image.
//!
//! ```text
//! cargo run --release --example integral_image                   # a picture that the example draws
//! cargo run --release --example integral_image -- FILE 12 OUT    # your picture.pgm, radius, blurred.pgm
//! ```
//!
//! Pictures are PGM, grey, 8 bits, binary (`P5`), which most programs can show.

use std::{
    error::Error,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use gpuscan::{Device, GpuRangeSum};

/// A grey picture, row by row.
struct Picture {
    width: usize,
    height: usize,
    grey: Vec<u8>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let picture = match arguments.next() {
        None => draw(),
        Some(path) => {
            let name = path.to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).map_err(|error| format!("{name}: {error}"))?;
            read(&bytes).map_err(|error| format!("{name}: {error}"))?
        }
    };
    let radius: usize = match arguments.next() {
        None => 12,
        Some(text) => {
            let text = text.to_string_lossy();
            text.parse().map_err(|_| format!("expected a radius in pixels, found {text:?}"))?
        }
    };
    let out = arguments.next().map_or_else(|| std::env::temp_dir().join("blurred.pgm"), PathBuf::from);
    if let Some(extra) = arguments.next() {
        return Err(format!("expected a picture, a radius and an output, found {extra:?} as well").into());
    }

    let device = Device::new().unwrap_or_else(|error| {
        println!("No GPU, going on with the CPU: {error}\n");
        Device::cpu()
    });
    println!("Device\n  {}", device.describe());
    let blurred = blur(&device, &picture, radius)?;
    let wrong = blurred.iter().zip(slowly(&picture, radius)).filter(|&(&a, b)| a != b).count();
    if wrong > 0 {
        return Err(format!("{wrong} pixels differ from averages that were added up one by one").into());
    }
    let Picture { width, height, .. } = picture;
    println!("\nPicture\n  {width} × {height}, boxes of {0} × {0} pixels", 2 * radius + 1);
    println!("  correct: every pixel is the average of its box, added up one by one");
    write(&out, width, height, &blurred)?;
    println!("  written to {}", out.display());
    Ok(())
}

/// The pixels of a box around `x`, from and up to, inside `0..len`.
fn around(x: usize, radius: usize, len: usize) -> (usize, usize) {
    (x.saturating_sub(radius), (x + radius + 1).min(len))
}

/// The average of each pixel's box, rounded down.
fn blur(device: &Device, picture: &Picture, radius: usize) -> Result<Vec<u8>, gpuscan::Error> {
    let &Picture { width, height, ref grey } = picture;
    let sums = GpuRangeSum::new(device);
    let grey: Vec<u32> = grey.iter().map(|&grey| grey.into()).collect();
    let table = sums.integral(&device.upload(&grey)?, width)?;

    let mut boxes = Vec::with_capacity(4 * grey.len());
    for y in 0..height {
        for x in 0..width {
            let (left, right) = around(x, radius, width);
            let (top, bottom) = around(y, radius, height);
            boxes.extend([left, top, right, bottom].map(|place| place as u32));
        }
    }
    let sums = sums.boxes(&table, width, &device.upload(&boxes)?)?.to_vec()?;
    let areas = boxes.chunks_exact(4).map(|corners| (corners[2] - corners[0]) * (corners[3] - corners[1]));
    Ok(sums.iter().zip(areas).map(|(sum, area)| (sum / area) as u8).collect())
}

/// The same, pixel by pixel.
fn slowly(picture: &Picture, radius: usize) -> Vec<u8> {
    let &Picture { width, height, ref grey } = picture;
    let mut result = Vec::with_capacity(grey.len());
    for y in 0..height {
        for x in 0..width {
            let (left, right) = around(x, radius, width);
            let (top, bottom) = around(y, radius, height);
            let rows = (top..bottom).map(|y| &grey[y * width..][left..right]);
            let sum: u32 = rows.flatten().map(|&grey| u32::from(grey)).sum();
            result.push((sum / ((right - left) * (bottom - top)) as u32) as u8);
        }
    }
    result
}

/// Rings that become narrower outwards, and a chessboard in one corner.
fn draw() -> Picture {
    let (width, height) = (384, 256);
    let mut grey = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            let (dx, dy) = (x as f32 - 150.0, y as f32 - 120.0);
            let ring = ((dx * dx + dy * dy) / 700.0).sin();
            let board = x > 260 && y > 140 && (x / 16 + y / 16) % 2 == 0;
            grey.push(if board { 255 } else { (ring * 100.0 + 110.0) as u8 });
        }
    }
    Picture { width, height, grey }
}

/// A binary PGM: `P5`, width, height and 255, with comments between them, one white-space character, pixels.
fn read(bytes: &[u8]) -> Result<Picture, String> {
    let mut rest = bytes.strip_prefix(b"P5").ok_or("expected a binary PGM, which begins with P5")?;
    let mut numbers = [0usize; 3];
    for number in &mut numbers {
        loop {
            rest = rest.trim_ascii_start();
            match rest.strip_prefix(b"#") {
                None => break,
                Some(comment) => {
                    let end = comment.iter().position(|&byte| byte == b'\n').unwrap_or(comment.len());
                    rest = &comment[end..];
                }
            }
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = String::from_utf8_lossy(&rest[..digits]);
        *number = text.parse().map_err(|_| format!("expected a number in the header, found {text:?}"))?;
        rest = &rest[digits..];
    }
    let [width, height, most] = numbers;
    if most != 255 {
        return Err(format!("expected greys up to 255, found up to {most}"));
    }
    let expected = width.checked_mul(height).ok_or("expected a picture that fits memory")?;
    let grey = rest.get(1..).unwrap_or_default();
    if grey.len() < expected || expected == 0 {
        return Err(format!("expected {width} × {height} pixels, found {} bytes", grey.len()));
    }
    Ok(Picture { width, height, grey: grey[..expected].to_vec() })
}

fn write(path: &Path, width: usize, height: usize, grey: &[u8]) -> Result<(), Box<dyn Error>> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file = std::fs::File::create(path).map_err(failed)?;
    write!(file, "P5\n{width} {height}\n255\n").map_err(failed)?;
    file.write_all(grey).map_err(failed)?;
    Ok(())
}
