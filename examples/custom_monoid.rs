//! Checks parentheses on the GPU with an operator of one's own, written once as a Rust function.
//!
//! What remains of a text when matching parentheses are struck out is some `)` and then some `(`. Two texts joined
//! cancel where they meet. That is associative, so a scan tells it for every beginning of a text: how deep each
//! place is nested, and where the first `)` has no partner. (It is called the bicyclic monoid.)
//!
//! ```text
//! cargo run --release --example custom_monoid                      # a short text and a long random one
//! cargo run --release --example custom_monoid -- '(a (b) c) d)'    # your own text
//! ```

use std::error::Error;
use std::process::ExitCode;

use gpuscan::{
    Device, Element, GpuScan, Monoid,
    bytemuck::{Pod, Zeroable},
    monoid,
};

/// What remains: `closing` times `)`, then `opening` times `(`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Element)]
#[bytemuck(crate = "gpuscan::bytemuck")]
struct Unmatched {
    closing: u32,
    opening: u32,
}

/// `left`, then `right`. This is all there is to write: `Cancel` is the operator.
#[monoid(identity = Unmatched { closing: 0, opening: 0 })]
fn cancel(left: Unmatched, right: Unmatched) -> Unmatched {
    let matched = left.opening.min(right.closing);
    Unmatched {
        closing: left.closing + right.closing - matched,
        opening: left.opening + right.opening - matched,
    }
}

/// Places in the long text.
const LONG: usize = 1 << 20;

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
    let mut arguments = std::env::args().skip(1);
    let text = arguments.next().unwrap_or_else(|| "(a (b) c) d) (e".to_owned());
    if let Some(extra) = arguments.next() {
        return Err(format!("expected one text, found a second argument {extra:?}").into());
    }

    let device = Device::new().unwrap_or_else(|error| {
        println!("No GPU, going on with the CPU: {error}\n");
        Device::cpu()
    });
    println!("Device\n  {}", device.describe());
    println!("\nThe operator in WGSL, from its Rust");
    for line in Cancel.wgsl().lines() {
        println!("  {line}");
    }

    let after = scan(&device, &text)?;
    println!("\nText    {text}");
    println!("depth   {}", after.iter().map(|unmatched| digit(unmatched.opening)).collect::<String>());
    match after.iter().position(|unmatched| unmatched.closing > 0) {
        Some(place) => println!("        {:>width$} this one closes nothing", "^", width = place + 1),
        None => println!("        every `)` has its `(`"),
    }
    if let Some(last) = after.last() {
        println!("        left over: {} × `)` and {} × `(`", last.closing, last.opening);
    }

    let long = random_text(LONG);
    let after = scan(&device, &long)?;
    let deepest = after.iter().map(|unmatched| unmatched.opening).max().unwrap_or(0);
    println!("\n{LONG} random parentheses: nested {deepest} deep at most");
    println!("Both texts checked, place by place, against a walk through them.");
    Ok(())
}

/// What remains of every beginning of `text`.
fn scan(device: &Device, text: &str) -> Result<Vec<Unmatched>, Box<dyn Error>> {
    let input: Vec<Unmatched> = text
        .chars()
        .map(|letter| Unmatched { closing: (letter == ')').into(), opening: (letter == '(').into() })
        .collect();
    let found = GpuScan::with_monoid(device, Cancel).inclusive(&device.upload(&input)?)?.to_vec()?;

    // The same by walking along: not by the operator, but by what it stands for.
    let (mut closing, mut opening) = (0, 0);
    for (place, (letter, &found)) in text.chars().zip(&found).enumerate() {
        match letter {
            '(' => opening += 1,
            ')' if opening > 0 => opening -= 1,
            ')' => closing += 1,
            _ => {}
        }
        let expected = Unmatched { closing, opening };
        if found != expected {
            return Err(format!("at {place}: expected {expected:?}, found {found:?}").into());
        }
    }
    Ok(found)
}

/// A depth in one place.
fn digit(depth: u32) -> char {
    char::from_digit(depth, 36).unwrap_or('+')
}

/// Parentheses by a linear congruential generator.
fn random_text(len: usize) -> String {
    let mut state = 1u64;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if state >> 63 == 0 { '(' } else { ')' }
    };
    (0..len).map(|_| letter()).collect()
}
