//! The two textbook scans on the CPU, round by round, combining exactly what the GPU's lanes combine.
//!
//! Both are kept as they are taught, so that they can be traced and compared; neither has the canonical
//! order. Each scans a tile in workgroup memory. A longer input is cut into tiles, the tiles' totals are
//! scanned by the same algorithm, and every element takes in what lies left of its tile.

use std::fmt;

use crate::element::Element;
use crate::monoid::Monoid;
use crate::order::combination;

/// Elements that one workgroup scans by Hillis and Steele's algorithm: one a lane.
pub const HILLIS_STEELE_TILE: usize = 256;

/// Elements that one workgroup scans by Blelloch's algorithm: two a lane.
pub const BLELLOCH_TILE: usize = 512;

/// What workgroup memory holds when one round of a textbook scan is done.
#[derive(Debug, Clone, PartialEq)]
pub struct Round<T> {
    /// What was done: `loaded`, `offset 2`, `up-sweep, offset 1`, `root cleared`, `down-sweep, offset 4`.
    pub name: String,
    /// Every value, in order. Blelloch's tree is a power of two wide, so its padding is here too.
    pub values: Vec<T>,
}

/// One step of a tile's scan; its text is the [`Round`]'s name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Loaded,
    Offset(usize),
    UpSweep(usize),
    RootCleared,
    DownSweep(usize),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Loaded => write!(f, "loaded"),
            Step::Offset(offset) => write!(f, "offset {offset}"),
            Step::UpSweep(offset) => write!(f, "up-sweep, offset {offset}"),
            Step::RootCleared => write!(f, "root cleared"),
            Step::DownSweep(offset) => write!(f, "down-sweep, offset {offset}"),
        }
    }
}

/// The offsets at which a line of `len` elements is combined: 1, 2, 4, … below `len`.
fn offsets(len: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..len.next_power_of_two().trailing_zeros()).map(|level| 1 << level)
}

/// The steps of Hillis and Steele's scan of `len` elements, in order.
pub(crate) fn hillis_steele_steps(len: usize) -> impl Iterator<Item = Step> {
    std::iter::once(Step::Loaded).chain(offsets(len).map(Step::Offset))
}

/// The steps of Blelloch's scan of `len` elements, in order. Without elements there is no root to clear.
pub(crate) fn blelloch_steps(len: usize) -> impl Iterator<Item = Step> {
    std::iter::once(Step::Loaded)
        .chain(offsets(len).map(Step::UpSweep))
        .chain((len > 0).then_some(Step::RootCleared))
        .chain(offsets(len).rev().map(Step::DownSweep))
}

/// An operator behind a pointer: compiled once for each element type, whatever the operators.
#[derive(Clone, Copy)]
struct Erased<'a, T> {
    identity: T,
    combine: &'a dyn Fn(T, T) -> T,
}

/// Calls `use_it` with the operator behind a pointer.
fn erased<T: Element, M: Monoid<T>, R>(monoid: &M, use_it: impl FnOnce(Erased<'_, T>) -> R) -> R {
    use_it(Erased { identity: monoid.identity(), combine: &combination(monoid) })
}

/// Does one step in place, on the line or the tree that `values` is.
fn take<T: Element>(monoid: Erased<'_, T>, step: Step, values: &mut [T]) {
    // The children of the tree's nodes at one level: (left, right), where right is also the node itself.
    let siblings = |offset: usize, len: usize| {
        (2 * offset - 1..len).step_by(2 * offset).map(move |right| (right - offset, right))
    };
    match step {
        Step::Loaded => {}
        // From the back, so that every element still meets its partner as the round before left it; the
        // GPU, whose lanes move together, needs a second buffer for that.
        Step::Offset(offset) => {
            for i in (offset..values.len()).rev() {
                values[i] = (monoid.combine)(values[i - offset], values[i]);
            }
        }
        Step::UpSweep(offset) => {
            for (left, right) in siblings(offset, values.len()) {
                values[right] = (monoid.combine)(values[left], values[right]);
            }
        }
        Step::RootCleared => {
            if let Some(root) = values.last_mut() {
                *root = monoid.identity;
            }
        }
        // A node holds all that lies left of it. So does its left child; its right child also has the
        // left child's sum before it.
        Step::DownSweep(offset) => {
            for (left, right) in siblings(offset, values.len()) {
                let sum = values[left];
                values[left] = values[right];
                values[right] = (monoid.combine)(values[right], sum);
            }
        }
    }
}

fn rounds<T: Element>(
    monoid: Erased<'_, T>,
    mut values: Vec<T>,
    steps: impl Iterator<Item = Step>,
) -> Vec<Round<T>> {
    steps
        .map(|step| {
            take(monoid, step, &mut values);
            Round { name: step.to_string(), values: values.clone() }
        })
        .collect()
}

/// The leaves of Blelloch's tree: the values, padded with the identity to a power of two.
fn leaves<T: Element>(monoid: Erased<'_, T>, values: &[T]) -> Vec<T> {
    let mut leaves = values.to_vec();
    if !values.is_empty() {
        leaves.resize(values.len().next_power_of_two(), monoid.identity);
    }
    leaves
}

/// Every round of Hillis and Steele's scan of one tile.
///
/// In each round every element takes in the one `offset` places to its left, and the offset doubles.
pub(crate) fn hillis_steele_rounds<T: Element, M: Monoid<T>>(monoid: &M, values: &[T]) -> Vec<Round<T>> {
    debug_assert!(values.len() <= HILLIS_STEELE_TILE);
    erased(monoid, |monoid| rounds(monoid, values.to_vec(), hillis_steele_steps(values.len())))
}

/// Every round of Blelloch's scan of one tile.
///
/// The up-sweep builds a tree of sums in place, the root is cleared, and the down-sweep hands every node the
/// sum of all that lies left of it.
pub(crate) fn blelloch_rounds<T: Element, M: Monoid<T>>(monoid: &M, values: &[T]) -> Vec<Round<T>> {
    debug_assert!(values.len() <= BLELLOCH_TILE);
    erased(monoid, |monoid| rounds(monoid, leaves(monoid, values), blelloch_steps(values.len())))
}

/// Scans one tile, which is not empty, in place, and gives its total.
type TileScan<T> = fn(Erased<'_, T>, tile: &mut [T], exclusive: bool) -> T;

fn hillis_steele_tile<T: Element>(monoid: Erased<'_, T>, tile: &mut [T], exclusive: bool) -> T {
    for step in hillis_steele_steps(tile.len()) {
        take(monoid, step, tile);
    }
    let last = tile.len() - 1;
    let total = tile[last];
    if exclusive {
        tile.copy_within(..last, 1);
        tile[0] = monoid.identity;
    }
    total
}

fn blelloch_tile<T: Element>(monoid: Erased<'_, T>, tile: &mut [T], exclusive: bool) -> T {
    let mut tree = leaves(monoid, tile);
    let root = tree.len() - 1;
    let mut total = monoid.identity;
    for step in blelloch_steps(tile.len()) {
        if step == Step::RootCleared {
            total = tree[root];
        }
        take(monoid, step, &mut tree);
    }
    for (value, before) in tile.iter_mut().zip(tree) {
        *value = if exclusive { before } else { (monoid.combine)(before, *value) };
    }
    total
}

fn by_tiles<T: Element>(
    monoid: Erased<'_, T>,
    values: &[T],
    exclusive: bool,
    tile_len: usize,
    scan_tile: TileScan<T>,
) -> Vec<T> {
    let mut output = values.to_vec();
    let totals: Vec<T> = output.chunks_mut(tile_len).map(|tile| scan_tile(monoid, tile, exclusive)).collect();
    if totals.len() > 1 {
        let sums = by_tiles(monoid, &totals, true, tile_len, scan_tile);
        // Nothing lies left of the first tile: it stays as it is, as on the GPU.
        for (tile, &sum) in output.chunks_mut(tile_len).zip(&sums).skip(1) {
            for value in tile {
                *value = (monoid.combine)(sum, *value);
            }
        }
    }
    output
}

/// Hillis and Steele's scan of any number of elements, in the GPU's order of combination.
pub(crate) fn hillis_steele<T: Element, M: Monoid<T>>(monoid: &M, values: &[T], exclusive: bool) -> Vec<T> {
    erased(monoid, |monoid| by_tiles(monoid, values, exclusive, HILLIS_STEELE_TILE, hillis_steele_tile))
}

/// Blelloch's scan of any number of elements, in the GPU's order of combination.
pub(crate) fn blelloch<T: Element, M: Monoid<T>>(monoid: &M, values: &[T], exclusive: bool) -> Vec<T> {
    erased(monoid, |monoid| by_tiles(monoid, values, exclusive, BLELLOCH_TILE, blelloch_tile))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::monoid::Sum;

    /// Maps x ↦ a·x + b on 16-bit numbers, packed as a·2^16 + b, the left one applied first: associative,
    /// not commutative, and a u32 to every backend.
    #[derive(Clone)]
    struct ThenMap;

    impl Monoid<u32> for ThenMap {
        fn identity(&self) -> u32 {
            1 << 16
        }

        fn combine(&self, left: u32, right: u32) -> u32 {
            let (a, b) = (left >> 16, left & 0xffff);
            let (c, d) = (right >> 16, right & 0xffff);
            (a.wrapping_mul(c) << 16) | (b.wrapping_mul(c).wrapping_add(d) & 0xffff)
        }

        fn wgsl(&self) -> Cow<'static, str> {
            unreachable!("these scans run on the CPU")
        }
    }

    /// Sizes around the tiles of both algorithms, and around the tiles of their tiles.
    const SIZES: [usize; 22] = [
        0, 1, 2, 3, 6, 8, 100, 255, 256, 257, 511, 512, 513, 1_000, 1_025, 65_535, 65_536, 65_537, 131_071,
        131_073, 200_000, 262_145,
    ];

    fn numbers(n: usize) -> Vec<u32> {
        (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761).rotate_left(13) ^ i).collect()
    }

    fn sequential<M: Monoid<u32>>(monoid: &M, values: &[u32], exclusive: bool) -> Vec<u32> {
        let mut sum = monoid.identity();
        values
            .iter()
            .map(|&value| {
                let before = sum;
                sum = monoid.combine(sum, value);
                if exclusive { before } else { sum }
            })
            .collect()
    }

    fn check<M: Monoid<u32>>(monoid: &M) {
        for n in SIZES {
            let values = numbers(n);
            for exclusive in [false, true] {
                let expected = sequential(monoid, &values, exclusive);
                assert!(
                    hillis_steele(monoid, &values, exclusive) == expected,
                    "Hillis–Steele, {n} elements, exclusive: {exclusive}"
                );
                assert!(
                    blelloch(monoid, &values, exclusive) == expected,
                    "Blelloch, {n} elements, exclusive: {exclusive}"
                );
            }
        }
    }

    fn listed(rounds: &[Round<u32>]) -> Vec<(&str, &[u32])> {
        rounds.iter().map(|round| (round.name.as_str(), round.values.as_slice())).collect()
    }

    #[test]
    fn hillis_steele_rounds_are_the_articles() {
        let rounds = hillis_steele_rounds(&Sum, &[3, 1, 7, 0, 4, 2, 1, 6]);
        let expected: [(&str, &[u32]); 4] = [
            ("loaded", &[3, 1, 7, 0, 4, 2, 1, 6]),
            ("offset 1", &[3, 4, 8, 7, 4, 6, 3, 7]),
            ("offset 2", &[3, 4, 11, 11, 12, 13, 7, 13]),
            ("offset 4", &[3, 4, 11, 11, 15, 17, 18, 24]),
        ];
        assert_eq!(listed(&rounds), expected);
    }

    #[test]
    fn six_elements_take_three_rounds() {
        let rounds = hillis_steele_rounds(&Sum, &[1, 2, 3, 4, 5, 6]);
        let expected: [(&str, &[u32]); 4] = [
            ("loaded", &[1, 2, 3, 4, 5, 6]),
            ("offset 1", &[1, 3, 5, 7, 9, 11]),
            ("offset 2", &[1, 3, 6, 10, 14, 18]),
            ("offset 4", &[1, 3, 6, 10, 15, 21]),
        ];
        assert_eq!(listed(&rounds), expected);
    }

    #[test]
    fn blelloch_rounds_are_the_articles() {
        let rounds = blelloch_rounds(&Sum, &[3, 1, 7, 0, 4, 2, 1, 6]);
        let expected: [(&str, &[u32]); 8] = [
            ("loaded", &[3, 1, 7, 0, 4, 2, 1, 6]),
            ("up-sweep, offset 1", &[3, 4, 7, 7, 4, 6, 1, 7]),
            ("up-sweep, offset 2", &[3, 4, 7, 11, 4, 6, 1, 13]),
            ("up-sweep, offset 4", &[3, 4, 7, 11, 4, 6, 1, 24]),
            ("root cleared", &[3, 4, 7, 11, 4, 6, 1, 0]),
            ("down-sweep, offset 4", &[3, 4, 7, 0, 4, 6, 1, 11]),
            ("down-sweep, offset 2", &[3, 0, 7, 4, 4, 11, 1, 17]),
            // A printed list of these rounds has 3 in the third place of this one; 3 + 1 is 4.
            ("down-sweep, offset 1", &[0, 3, 4, 11, 11, 15, 17, 18]),
        ];
        assert_eq!(listed(&rounds), expected);
    }

    #[test]
    fn the_tree_is_padded_to_a_power_of_two() {
        let rounds = blelloch_rounds(&Sum, &[1, 2, 3]);
        let expected: [(&str, &[u32]); 6] = [
            ("loaded", &[1, 2, 3, 0]),
            ("up-sweep, offset 1", &[1, 3, 3, 3]),
            ("up-sweep, offset 2", &[1, 3, 3, 6]),
            ("root cleared", &[1, 3, 3, 0]),
            ("down-sweep, offset 2", &[1, 0, 3, 3]),
            ("down-sweep, offset 1", &[0, 1, 3, 6]),
        ];
        assert_eq!(listed(&rounds), expected);
    }

    #[test]
    fn the_smallest_tiles_have_their_rounds() {
        let none: &[u32] = &[];
        assert_eq!(listed(&hillis_steele_rounds(&Sum, none)), [("loaded", none)]);
        assert_eq!(listed(&blelloch_rounds(&Sum, none)), [("loaded", none)]);

        let one: &[u32] = &[7];
        assert_eq!(listed(&hillis_steele_rounds(&Sum, one)), [("loaded", one)]);
        let cleared: &[u32] = &[0];
        assert_eq!(listed(&blelloch_rounds(&Sum, one)), [("loaded", one), ("root cleared", cleared)]);
    }

    #[test]
    fn the_last_round_of_every_tile_is_its_scan() {
        for n in 1..=BLELLOCH_TILE {
            let values = numbers(n);
            let tree = blelloch_rounds(&ThenMap, &values);
            assert_eq!(tree[tree.len() - 1].values.len(), n.next_power_of_two());
            assert_eq!(tree[tree.len() - 1].values[..n], sequential(&ThenMap, &values, true));
            if n <= HILLIS_STEELE_TILE {
                let line = hillis_steele_rounds(&ThenMap, &values);
                assert_eq!(line[line.len() - 1].values, sequential(&ThenMap, &values, false));
            }
        }
    }

    #[test]
    fn sums_are_the_sequential_ones_at_any_size() {
        check(&Sum);
    }

    #[test]
    fn operands_keep_their_sides_at_any_size() {
        check(&ThenMap);
    }
}
