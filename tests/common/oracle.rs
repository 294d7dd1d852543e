//! What every scan must give, and how results are compared.

use gpuscan::{Algorithm, Device, Element, GpuScan, Monoid, order};

/// The canonical order as the specification's words have it, level by level over index bits: slow, and
/// written without a look at `gpuscan::order`, which `tests/order.rs` compares with it.
pub fn naive<T: Element, M: Monoid<T>>(monoid: &M, values: &[T], exclusive: bool) -> Vec<T> {
    let mut result = values.to_vec();
    let mut before: Option<T> = None;
    for block in result.chunks_mut(1 << 18) {
        // "Level by level, innermost first: an element whose index has bit k set receives the total of its
        // left sibling subtree of size 2^k." A subtree's total is its last element, which this level leaves
        // alone, for its own bit k is not set.
        for k in 0..18 {
            for i in 0..block.len() {
                if (i >> k) & 1 == 1 {
                    let subtree = i >> k << k;
                    block[i] = monoid.combine(block[subtree - 1], block[i]);
                }
            }
        }
        // "prefix(b+1) = prefix(b) ⊕ total(b), and each element of block b > 0 becomes prefix(b) ⊕ element."
        let total = block[block.len() - 1];
        if let Some(prefix) = before {
            for element in block.iter_mut() {
                *element = monoid.combine(prefix, *element);
            }
        }
        before = Some(match before {
            None => total,
            Some(prefix) => monoid.combine(prefix, total),
        });
    }
    if exclusive { exclusive_of(monoid, &result) } else { result }
}

/// The scan by runs: what the canonical order has at the end of the run before, then one element after the other.
pub fn naive_by_runs<T: Element, M: Monoid<T>>(
    monoid: &M,
    start: Option<T>,
    values: &[T],
    exclusive: bool,
) -> Vec<T> {
    let mut ends = values.to_vec();
    order::scan_after(monoid, start, &mut ends);
    let mut before = start;
    let result = |(i, &value): (usize, &T)| {
        if i > 0 && i % order::RUN == 0 {
            before = Some(ends[i - 1]);
        }
        let next = before.map_or(value, |before| monoid.combine(before, value));
        let precedes = before.replace(next).unwrap_or(monoid.identity());
        if exclusive { precedes } else { next }
    };
    values.iter().enumerate().map(result).collect()
}

/// An inclusive result, moved on by one place.
fn exclusive_of<T: Element, M: Monoid<T>>(monoid: &M, inclusive: &[T]) -> Vec<T> {
    let before_last = inclusive.len().saturating_sub(1);
    let shifted = std::iter::once(monoid.identity()).chain(inclusive[..before_last].iter().copied());
    shifted.take(inclusive.len()).collect()
}

/// The right result of a scan by `algorithm`: the canonical order's, or the textbook algorithm's own.
pub fn expected<T: Element, M: Monoid<T>>(
    monoid: &M,
    algorithm: Algorithm,
    values: &[T],
    exclusive: bool,
) -> Vec<T> {
    if algorithm.is_canonical() {
        let mut result = values.to_vec();
        order::scan(monoid, &mut result);
        return if exclusive { exclusive_of(monoid, &result) } else { result };
    }
    let scan = GpuScan::with_monoid(&Device::cpu(), monoid.clone()).algorithm(algorithm);
    let result = match exclusive {
        false => scan.inclusive_slice(values),
        true => scan.exclusive_slice(values),
    };
    result.expect("the CPU scans anything")
}

/// Whether both are the same, bit by bit. All NaNs count as one: neither Rust nor WGSL says which of them an
/// addition gives.
pub fn same<T: Element>(a: &T, b: &T) -> bool {
    let nan = |value: &T| {
        T::LAYOUT == f32::LAYOUT
            && f32::from_bits(bytemuck::pod_read_unaligned(bytemuck::bytes_of(value))).is_nan()
    };
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b) || (nan(a) && nan(b))
}

/// A value's bytes as a reader of hexadecimal wants them, the highest first.
fn hex<T: Element>(value: &T) -> String {
    bytemuck::bytes_of(value).iter().rev().map(|byte| format!("{byte:02x}")).collect()
}

/// Fails at the first value whose bits differ.
#[track_caller]
pub fn assert_bits<T: Element>(found: &[T], expected: &[T], what: impl std::fmt::Display) {
    assert_eq!(found.len(), expected.len(), "{what}: the length");
    let differs = |(found, expected): (&T, &T)| !same(found, expected);
    if let Some(i) = found.iter().zip(expected).position(differs) {
        let count = found.iter().zip(expected).filter(|&pair| differs(pair)).count();
        panic!(
            "{what}: {count} of {} values differ, the first at {i}: expected {:?} ({}), found {:?} ({})",
            expected.len(),
            expected[i],
            hex(&expected[i]),
            found[i],
            hex(&found[i]),
        );
    }
}
