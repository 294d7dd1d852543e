//! The canonical order: how a scan's results are parenthesised, on every device and backend.
//!
//! The input is cut into **blocks** of 2^[`LOG_BLOCK`] elements.
//!
//! * Inside a block the inclusive prefix is Sklansky's recursion (J. Sklansky, "Conditional-sum addition
//!   logic", 1960) on a perfect binary tree: scan the left half, scan the right half, then every element of
//!   the right half becomes `total(left) ⊕ element`. A block that is cut short is the same tree with its
//!   tail missing: absent elements change nothing before them.
//! * Across blocks it is a left fold: `prefix(b + 1) = prefix(b) ⊕ total(b)`, and each element of a block
//!   `b > 0` becomes `prefix(b) ⊕ element`.
//!
//! An exclusive scan is the inclusive one moved on by one place, with the identity first.
//!
//! Operators may ask for another order inside of runs of [`RUN`] elements: [`scan_by_runs`].
//!
//! Every power-of-two group of lanes is some consecutive levels of that tree, so subgroups of any width, no
//! subgroups at all, and CPU threads come to the same bits. `DESIGN.md` has the proof that sums of
//! non-negative floats never decrease. The functions below are the definition written down: the oracle of
//! every test, and the CPU backend.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{element::Element, monoid::Monoid};

/// Blocks hold 2^18 elements: 1 MiB of four-byte ones, which a CPU core's cache holds, and 32 of the
/// largest tiles. A smaller block lengthens the fold, a larger one lengthens the look across tiles.
pub const LOG_BLOCK: u32 = 18;

/// Elements in a block.
pub const BLOCK: usize = 1 << LOG_BLOCK;

/// Elements in a run, where operators go by runs: as many as a lane of a GPU holds, and levels 0 to 4 of the tree.
pub const RUN: usize = 32;

/// Inclusive scan of `values` in the canonical order, in place, on this thread.
pub fn scan<T: Element, M: Monoid<T>>(monoid: &M, values: &mut [T]) {
    scan_after(monoid, None, values);
}

/// The same behind `start`: the fold over the blocks begins with it.
pub fn scan_after<T: Element, M: Monoid<T>>(monoid: &M, start: Option<T>, values: &mut [T]) {
    scan_serially(&combination(monoid), start, values, BLOCK);
}

/// The same as [`scan`] on all cores: blocks are scanned side by side, their totals folded in order, and each
/// block lifted by its prefix. The same bits.
pub fn scan_parallel<T: Element, M: Monoid<T>>(monoid: &M, values: &mut [T]) {
    scan_parallel_after(monoid, None, values);
}

/// The same as [`scan_after`] on all cores.
pub fn scan_parallel_after<T: Element, M: Monoid<T>>(monoid: &M, start: Option<T>, values: &mut [T]) {
    scan_with(&combination(monoid), start, values);
}

/// The scan by runs ([`Monoid::by_runs`]), on all cores: what precedes a run of [`RUN`] elements is combined in the
/// canonical order behind `start`; then the run's elements follow one after the other.
///
/// The exclusive scan has what precedes each element on the way: at the first of a run that is the canonical order's, at the
/// others the inclusive result before it.
pub fn scan_by_runs<T: Element, M: Monoid<T>>(
    monoid: &M,
    start: Option<T>,
    exclusive: bool,
    values: &mut [T],
) {
    let first = start.unwrap_or_else(|| monoid.identity());
    scan_runs_with(&combination(monoid), start, exclusive.then_some(first), values);
}

/// The operator as a function: one type, so that what is generic over it is compiled once.
pub(crate) fn combination<T: Element, M: Monoid<T>>(monoid: &M) -> impl Fn(T, T) -> T + Sync + '_ {
    |left, right| monoid.combine(left, right)
}

/// Turns an inclusive scan into the exclusive one: every value moves on by one place.
pub fn shift<T: Element, M: Monoid<T>>(monoid: &M, values: &mut [T]) {
    shift_in(monoid.identity(), values);
}

/// The same with `first` in the first place.
pub(crate) fn shift_in<T: Copy>(first: T, values: &mut [T]) {
    if let Some(last) = values.len().checked_sub(1) {
        values.copy_within(..last, 1);
        values[0] = first;
    }
}

/// The canonical order on one thread, for anything that can be combined.
fn scan_serially<T: Copy>(combine: &impl Fn(T, T) -> T, start: Option<T>, values: &mut [T], block: usize) {
    let mut prefix = start;
    for block in values.chunks_mut(block) {
        scan_block(combine, block);
        if let Some(prefix) = prefix {
            lift(combine, prefix, block);
        }
        // The last element of a lifted block is prefix(b) ⊕ total(b): the next prefix.
        prefix = block.last().copied();
    }
}

/// The same on all cores.
pub(crate) fn scan_with<T: Copy + Send + Sync>(
    combine: &(impl Fn(T, T) -> T + Sync),
    start: Option<T>,
    values: &mut [T],
) {
    scan_blocks(combine, start, values, BLOCK);
}

/// The same with blocks of so many values.
fn scan_blocks<T: Copy + Send + Sync>(
    combine: &(impl Fn(T, T) -> T + Sync),
    start: Option<T>,
    values: &mut [T],
    block: usize,
) {
    if values.len() <= block {
        return scan_serially(combine, start, values, block);
    }
    let blocks: Vec<_> = values.chunks_mut(block).map(Mutex::new).collect();
    let block = |b: usize| one_of(&blocks, b);
    on_all_cores(blocks.len(), &|b| scan_block(combine, &mut block(b)));
    // What precedes each block, if anything does.
    let mut before = Vec::with_capacity(blocks.len());
    let mut prefix = start;
    for b in 0..blocks.len() {
        before.push(prefix);
        let total = block(b).last().copied();
        prefix = match (prefix, total) {
            (Some(prefix), Some(total)) => Some(combine(prefix, total)),
            _ => total,
        };
    }
    on_all_cores(blocks.len(), &|b| {
        if let Some(before) = before[b] {
            lift(combine, before, &mut block(b));
        }
    });
}

/// The scan by runs, likewise; exclusive if it is told its first result.
pub(crate) fn scan_runs_with<T: Copy + Send + Sync>(
    combine: &(impl Fn(T, T) -> T + Sync),
    start: Option<T>,
    exclusive: Option<T>,
    values: &mut [T],
) {
    // Only a whole run precedes another.
    let Some(first) = values.first().copied() else { return };
    let mut ends = vec![first; values.len() / RUN];
    let totals: Vec<_> = ends.chunks_mut(BLOCK / RUN).map(Mutex::new).collect();
    on_all_cores(totals.len(), &|b| {
        let runs = values[b * BLOCK..].chunks_exact(RUN);
        for (total, run) in one_of(&totals, b).iter_mut().zip(runs) {
            *total = total_of_run(combine, run);
        }
    });
    drop(totals);
    scan_blocks(combine, start, &mut ends, BLOCK / RUN);
    let blocks: Vec<_> = values.chunks_mut(BLOCK).map(Mutex::new).collect();
    on_all_cores(blocks.len(), &|b| {
        for (r, run) in (b * (BLOCK / RUN)..).zip(one_of(&blocks, b).chunks_mut(RUN)) {
            let mut before = if r == 0 { start } else { Some(ends[r - 1]) };
            for value in run {
                let next = before.map_or(*value, |before| combine(before, *value));
                *value = exclusive.map_or(next, |first| before.unwrap_or(first));
                before = Some(next);
            }
        }
    });
}

/// The total of a whole run, by the levels of the tree.
fn total_of_run<T: Copy>(combine: &impl Fn(T, T) -> T, run: &[T]) -> T {
    let mut totals = [run[0]; RUN];
    totals.copy_from_slice(run);
    for level in 0..RUN.trailing_zeros() {
        for i in (0..RUN).step_by(2 << level) {
            totals[i] = combine(totals[i], totals[i + (1 << level)]);
        }
    }
    totals[0]
}

/// Each of these is one thread's at a time: nobody waits.
fn one_of<'a, 'v, T>(parts: &'a [Mutex<&'v mut [T]>], i: usize) -> MutexGuard<'a, &'v mut [T]> {
    parts[i].lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does `work` for every number below `count`. Behind a pointer: threads are generic enough by themselves, and what
/// they are told is compiled for every operator.
fn on_all_cores(count: usize, work: &(dyn Fn(usize) + Sync)) {
    #[cfg(not(target_arch = "wasm32"))]
    {
        use rayon::prelude::*;
        (0..count).into_par_iter().for_each(work);
    }
    // One thread is all there is in a browser.
    #[cfg(target_arch = "wasm32")]
    (0..count).for_each(work);
}

/// Sklansky's recursion on at most one block.
fn scan_block<T: Copy>(combine: &impl Fn(T, T) -> T, values: &mut [T]) {
    if let Ok(leaf) = <&mut [T; LEAF]>::try_from(&mut *values) {
        return scan_leaf(combine, leaf);
    }
    if values.len() < 2 {
        return;
    }
    let half = values.len().next_power_of_two() / 2;
    let (left, right) = values.split_at_mut(half);
    scan_block(combine, left);
    scan_block(combine, right);
    lift(combine, left[half - 1], right);
}

/// Elements that are scanned in registers.
const LEAF: usize = 16;

/// The lowest levels of the recursion, level by level, in loops that the compiler can unroll.
#[inline(always)]
fn scan_leaf<T: Copy>(combine: &impl Fn(T, T) -> T, values: &mut [T; LEAF]) {
    for level in 0..LEAF.trailing_zeros() {
        for i in 0..LEAF {
            if i >> level & 1 == 1 {
                let last_on_the_left = (i >> level << level) - 1;
                values[i] = combine(values[last_on_the_left], values[i]);
            }
        }
    }
}

/// Every value with `left` combined in from the left.
fn lift<T: Copy>(combine: &impl Fn(T, T) -> T, left: T, values: &mut [T]) {
    for value in values {
        *value = combine(left, *value);
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::monoid::Sum;

    /// As far from associative as can be: results tell parenthesisations apart.
    #[derive(Clone)]
    struct Parenthesis;

    impl Monoid<u32> for Parenthesis {
        fn identity(&self) -> u32 {
            0
        }

        fn combine(&self, left: u32, right: u32) -> u32 {
            left.wrapping_mul(0x9e37_79b1).rotate_left(7) ^ right.wrapping_mul(0x85eb_ca77)
        }

        fn wgsl(&self) -> Cow<'static, str> {
            unreachable!("these scans run on the CPU")
        }
    }

    fn numbers(len: usize) -> Vec<u32> {
        (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761) ^ (i << 3)).collect()
    }

    /// The recursion as the module's words have it, one element at a time.
    fn recursion(values: &[u32]) -> Vec<u32> {
        if values.len() < 2 {
            return values.to_vec();
        }
        let (left, right) = values.split_at(values.len().next_power_of_two() / 2);
        let (left, right) = (recursion(left), recursion(right));
        let total = left[left.len() - 1];
        let lifted = right.iter().map(|&value| Parenthesis.combine(total, value));
        left.iter().copied().chain(lifted).collect()
    }

    #[test]
    fn a_block_is_the_recursion() {
        for len in (0..200).chain([1023, 1024, 1025, 5000, BLOCK - 1, BLOCK]) {
            let mut found = numbers(len);
            scan(&Parenthesis, &mut found);
            assert!(found == recursion(&numbers(len)), "{len} elements");
        }
    }

    #[test]
    fn blocks_are_folded_from_the_left() {
        for len in [BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5] {
            let numbers = numbers(len);
            let mut found = numbers.clone();
            scan(&Parenthesis, &mut found);
            let mut prefix = None;
            for (b, block) in numbers.chunks(BLOCK).enumerate() {
                let local = recursion(block);
                let wanted: Vec<u32> = match prefix {
                    None => local,
                    Some(prefix) => local.iter().map(|&value| Parenthesis.combine(prefix, value)).collect(),
                };
                let here = &found[b * BLOCK..][..block.len()];
                assert!(here == wanted, "block {b} of {len} elements");
                prefix = wanted.last().copied();
            }
        }
    }

    #[test]
    fn runs_follow_what_the_canonical_order_has_before_them() {
        for len in [0, 1, 31, 32, 33, 64, 65, 1000, BLOCK, BLOCK + 1, 3 * BLOCK + 35] {
            for start in [None, Some(77)] {
                let numbers = numbers(len);
                let (mut canonical, mut found) = (numbers.clone(), numbers.clone());
                scan_after(&Parenthesis, start, &mut canonical);
                let mut moved = numbers.clone();
                scan_by_runs(&Parenthesis, start, false, &mut found);
                scan_by_runs(&Parenthesis, start, true, &mut moved);
                let mut before = start;
                for (i, &number) in numbers.iter().enumerate() {
                    if i > 0 && i % RUN == 0 {
                        before = Some(canonical[i - 1]);
                    }
                    assert_eq!(moved[i], before.unwrap_or(0), "{i} of {len} behind {start:?}, exclusive");
                    let wanted = before.map_or(number, |before| Parenthesis.combine(before, number));
                    assert_eq!(found[i], wanted, "{i} of {len} behind {start:?}");
                    before = Some(wanted);
                }
            }
        }
    }

    #[test]
    fn all_cores_do_the_same() {
        for len in [0, 1, 1000, BLOCK, BLOCK + 1, 5 * BLOCK + 17] {
            let (mut one, mut all) = (numbers(len), numbers(len));
            scan(&Parenthesis, &mut one);
            scan_parallel(&Parenthesis, &mut all);
            assert!(one == all, "{len} elements");
        }
    }

    #[test]
    fn an_exclusive_scan_is_the_inclusive_one_moved() {
        let mut values = [3u32, 4, 11, 11];
        shift(&Sum, &mut values);
        assert_eq!(values, [0, 3, 4, 11]);
        let mut one = [7.5f32];
        shift(&Sum, &mut one);
        assert_eq!(one, [0.0]);
        let mut none: [i32; 0] = [];
        shift(&Sum, &mut none);
    }

    #[test]
    fn sums_of_zeros_keep_their_sign() {
        let mut zeros = vec![-0.0f32; 100];
        scan(&Sum, &mut zeros);
        assert!(zeros.iter().all(|zero| zero.to_bits() == (-0.0f32).to_bits()));
    }
}
