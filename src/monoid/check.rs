//! Whether an operator is one: its laws on values, and its Rust against its WGSL.

use std::{any::TypeId, borrow::Cow};

use super::Monoid;
use crate::{
    device::Device,
    element::{Element, Layout, Narrow, Scalar, Shape},
    error::Error,
    scan::GpuScan,
};

/// Values drawn at random, and as many made of two of them each.
const SAMPLES: usize = 20;

/// The finaliser of SplitMix64 over a counter: the same values in every run.
struct Random {
    state: u64,
    /// Floats of any digits, for operators that promise not to round.
    rough: bool,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// From -8 to 8: sums and products of a few of them are exact in any type of floats.
    fn whole(&mut self) -> i8 {
        self.below(17) as i8 - 8
    }

    /// Such a whole number, or one of all digits and either sign from 2^-8 to 2^8.
    fn float(&mut self) -> f64 {
        match self.rough {
            false => self.whole().into(),
            true => {
                let (bits, exponent) = (self.next(), self.below(16) as u64);
                f64::from_bits(bits & 0x800f_ffff_ffff_ffff | (1023 - 8 + exponent) << 52)
            }
        }
    }

    /// Small numbers, large ones, and any.
    fn word(&mut self) -> u32 {
        let bits = self.next();
        match bits % 4 {
            0 | 1 => (bits >> 32) as u32 % 5,
            2 => ((bits >> 32) as u32 % 4).wrapping_sub(2),
            _ => (bits >> 32) as u32,
        }
    }

    fn bytes(&mut self, layout: Layout, bytes: &mut Vec<u8>) {
        match layout.0 {
            Shape::Narrow(Narrow::F16) => {
                bytes.extend(half::f16::from_f64(self.float()).to_bits().to_ne_bytes());
            }
            Shape::Narrow(Narrow::U8 | Narrow::I8) => bytes.push(self.word() as u8),
            Shape::Narrow(Narrow::U16 | Narrow::I16) => bytes.extend((self.word() as u16).to_ne_bytes()),
            Shape::Scalar(scalar) => self.scalars(scalar, 1, bytes),
            Shape::Vector(scalar, count) => self.scalars(scalar, count, bytes),
            Shape::Words(count) => self.scalars(Scalar::U32, count, bytes),
            Shape::Structure(_, fields) => {
                fields.iter().for_each(|(_, field)| self.bytes(*field, bytes));
            }
        }
    }

    fn scalars(&mut self, scalar: Scalar, count: u32, bytes: &mut Vec<u8>) {
        for _ in 0..count {
            match scalar {
                Scalar::F32 => bytes.extend((self.float() as f32).to_ne_bytes()),
                Scalar::U32 | Scalar::I32 => bytes.extend(self.word().to_ne_bytes()),
            }
        }
    }

    fn element<T: Element>(&mut self) -> T {
        let mut bytes = Vec::new();
        match TypeId::of::<T>() == TypeId::of::<f64>() {
            // Its layout is that of u64.
            true => bytes.extend(self.float().to_ne_bytes()),
            false => self.bytes(T::LAYOUT, &mut bytes),
        }
        bytemuck::pod_read_unaligned(&bytes)
    }
}

/// Values for an operator that takes any: whole numbers from −8 to 8 for floats, so that nothing is rounded, unless it
/// promises to give the same bits in any grouping.
pub(super) fn samples<T: Element>(regroups: bool) -> Result<Vec<T>, Error> {
    T::LAYOUT.check::<T>()?;
    let mut random = Random { state: 0, rough: regroups };
    Ok((0..SAMPLES).map(|_| random.element()).collect())
}

fn same_bits<T: Element>(a: &T, b: &T) -> bool {
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b) || is_nan(a) && is_nan(b)
}

/// As the type has it (0.0 is -0.0), or bit by bit (a NaN is itself).
fn equal<T: Element>(a: &T, b: &T) -> bool {
    a == b || same_bits(a, b)
}

/// Whether there is a NaN in it.
#[allow(clippy::eq_op, reason = "a NaN is not equal to itself")]
fn is_nan<T: Element>(value: &T) -> bool {
    value != value
}

/// An operator without its keys, so that scans run its WGSL.
#[derive(Clone)]
struct WithoutKeys<M>(M);

impl<T: Element, M: Monoid<T>> Monoid<T> for WithoutKeys<M> {
    fn identity(&self) -> T {
        self.0.identity()
    }

    fn combine(&self, left: T, right: T) -> T {
        self.0.combine(left, right)
    }

    fn wgsl(&self) -> Cow<'static, str> {
        self.0.wgsl()
    }

    fn regroups(&self) -> bool {
        self.0.regroups()
    }

    fn by_runs(&self) -> bool {
        self.0.by_runs()
    }
}

/// See [`Monoid::check_on`].
pub(super) fn check<T: Element, M: Monoid<T>>(
    monoid: &M,
    device: &Device,
    samples: &[T],
) -> Result<(), Error> {
    let broken =
        |what: String| Err(Error::Operator { operator: std::any::type_name::<M>().to_string(), what });

    let identity = monoid.identity();
    for x in samples {
        for (sides, found) in
            [("e ⊕ x", monoid.combine(identity, *x)), ("x ⊕ e", monoid.combine(*x, identity))]
        {
            if !equal(&found, x) {
                return broken(format!(
                    "expected the identity e = {identity:?} to change nothing, found {sides} = {found:?} for \
                     x = {x:?}"
                ));
            }
        }
    }

    let mut values = samples.to_vec();
    if !samples.is_empty() {
        let mut random = Random { state: 1, rough: false };
        values.extend((0..SAMPLES).map(|_| {
            let [a, b] = [random.below(samples.len()), random.below(samples.len())];
            monoid.combine(samples[a], samples[b])
        }));
        // As many triples as a reader waits for.
        for _ in 0..20_000 {
            let [a, b, c] = std::array::from_fn(|_| values[random.below(values.len())]);
            let from_left = monoid.combine(monoid.combine(a, b), c);
            let from_right = monoid.combine(a, monoid.combine(b, c));
            let (holds, law): (fn(&T, &T) -> bool, _) = match monoid.regroups() {
                true => (same_bits, "an operator that regroups to the last bit"),
                false => (equal, "an associative operator"),
            };
            if !holds(&from_left, &from_right) {
                return broken(format!(
                    "expected {law}, found (a ⊕ b) ⊕ c = {from_left:?} and a ⊕ (b ⊕ c) = \
                     {from_right:?} for a = {a:?}, b = {b:?}, c = {c:?}"
                ));
            }
        }
    }

    // Rows of three, each scanned to: the identity, a, a ⊕ b.
    let values = &values[..values.len().min(4 * SAMPLES)];
    let rows: Vec<T> = values.iter().flat_map(|&a| values.iter().flat_map(move |&b| [a, b, b])).collect();
    let input = device.upload(&rows)?;
    let scan = GpuScan::with_monoid(device, WithoutKeys(monoid.clone()));
    let output = scan.of(&input).exclusive().rows(3).run::<T>()?;
    for (row, found) in rows.chunks(3).zip(output.to_vec()?.chunks(3)) {
        let (a, b) = (row[0], row[1]);
        for (what, found, wanted) in [
            ("the identity".to_string(), found[0], identity),
            (format!("a ⊕ b for a = {a:?}, b = {b:?}"), found[2], monoid.combine(a, b)),
        ] {
            if !same_bits(&found, &wanted) {
                return broken(format!(
                    "expected WGSL to give what Rust gives, {wanted:?} ({}), found {found:?} ({}) on {device}: {what}",
                    hex(&wanted),
                    hex(&found)
                ));
            }
        }
    }
    Ok(())
}

/// An element's words, in the order of its memory.
fn hex<T: Element>(value: &T) -> String {
    let words = bytemuck::bytes_of(value).chunks(4);
    let words = words.map(|word| word.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>());
    words.collect::<Vec<_>>().join(" ")
}
