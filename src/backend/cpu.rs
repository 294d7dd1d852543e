//! Scans on the host: the definition of each algorithm, run on all cores where that gains something.

use crate::{
    element::Element,
    map::Map,
    monoid::Monoid,
    order,
    plan::{
        scan::{Algorithm, Job},
        sort,
    },
    textbook,
};

/// An operator with its maps, as Rust functions.
pub(crate) struct Twin<'a, M, I, O> {
    pub monoid: &'a M,
    pub map_in: &'a I,
    pub map_out: &'a O,
}

/// Scans one row as the job says, behind `start`, if there is one.
pub(crate) fn scan_row<T: Element, M: Monoid<T>>(
    monoid: &M,
    job: &Job,
    start: Option<T>,
    mut values: Vec<T>,
) -> Vec<T> {
    match job.algorithm {
        Algorithm::HillisSteele => textbook::hillis_steele(monoid, &values, job.exclusive),
        Algorithm::Blelloch => textbook::blelloch(monoid, &values, job.exclusive),
        Algorithm::SingleTile | Algorithm::ThreePass | Algorithm::SinglePass | Algorithm::Auto => {
            if monoid.by_runs() {
                order::scan_by_runs(monoid, start, job.exclusive, &mut values);
                return values;
            }
            order::scan_parallel_after(monoid, start, &mut values);
            if job.exclusive {
                order::shift_in(start.unwrap_or_else(|| monoid.identity()), &mut values);
            }
            values
        }
    }
}

/// All results, row by row: see [`place`]. `source` is what the input's place is a range of.
pub(crate) fn scan<A, T, B, M, I, O>(
    twin: &Twin<'_, M, I, O>,
    job: &Job,
    start: Option<T>,
    source: &[A],
) -> Vec<B>
where
    A: Element,
    T: Element,
    B: Element,
    M: Monoid<T>,
    I: Map<A, T>,
    O: Map<T, B>,
{
    let mut results = Vec::with_capacity((job.rows * job.len) as usize);
    for row in 0..job.rows {
        let values = match job.source.step {
            1 => {
                let first = job.source.element(0, row, job.inner_rows) as usize;
                source[first..first + job.len as usize]
                    .iter()
                    .map(|&value| twin.map_in.apply(value))
                    .collect()
            }
            _ => (0..job.len)
                .map(|i| twin.map_in.apply(source[job.source.element(i, row, job.inner_rows) as usize]))
                .collect(),
        };
        let scanned = scan_row(twin.monoid, job, start, values);
        results.extend(scanned.into_iter().map(|value| twin.map_out.apply(value)));
    }
    results
}

/// The same where the scan begins anew at every head.
pub(crate) fn scan_segments<A, T, B, M, I, O>(
    twin: &Twin<'_, M, I, O>,
    job: &Job,
    heads: &[bool],
    source: &[A],
) -> Vec<B>
where
    A: Element,
    T: Element,
    B: Element,
    M: Monoid<T>,
    I: Map<A, T>,
    O: Map<T, B>,
{
    let mut values: Vec<T> = source.iter().map(|&value| twin.map_in.apply(value)).collect();
    let identity = twin.monoid.identity();
    let combine = order::combination(twin.monoid);
    let first = job.exclusive.then_some(identity);
    values = behind_heads(&combine, twin.monoid.by_runs(), first, heads, values);
    if job.exclusive {
        for (value, _) in values.iter_mut().zip(heads).filter(|(_, head)| **head) {
            *value = identity;
        }
    }
    values.into_iter().map(|value| twin.map_out.apply(value)).collect()
}

/// The scan that begins anew at every head, in the canonical order or by runs; exclusive if it is told its first result.
/// Compiled once for each type.
fn behind_heads<T: Element>(
    combine: &(dyn Fn(T, T) -> T + Sync),
    by_runs: bool,
    exclusive: Option<T>,
    heads: &[bool],
    values: Vec<T>,
) -> Vec<T> {
    // What comes before a head does not reach what comes behind it.
    let combine = |left: (bool, T), right: (bool, T)| match right.0 {
        true => right,
        false => (left.0, combine(left.1, right.1)),
    };
    let mut values: Vec<(bool, T)> = heads.iter().copied().zip(values).collect();
    let first = exclusive.map(|first| (false, first));
    if by_runs {
        order::scan_runs_with(&combine, None, first, &mut values);
    } else {
        order::scan_with(&combine, None, &mut values);
        if let Some(first) = first {
            order::shift_in(first, &mut values);
        }
    }
    values.into_iter().map(|(_, value)| value).collect()
}

/// Whether a segment begins at each of `len` elements. Offsets behind them are passed over.
pub(crate) fn heads(offsets: &[u32], len: usize) -> Vec<bool> {
    let mut heads = vec![false; len];
    for &offset in offsets {
        if let Some(head) = heads.get_mut(offset as usize) {
            *head = true;
        }
    }
    heads
}

/// The last result of each segment, from one offset to the next, of a scan that begins anew at all of them; the
/// identity for those without elements.
pub(crate) fn segment_totals<T: Element, M: Monoid<T>>(
    monoid: &M,
    offsets: &[u32],
    values: Vec<T>,
) -> Vec<T> {
    let len = values.len();
    // Totals are of the canonical order, whatever scans are.
    let scanned = behind_heads(&order::combination(monoid), false, None, &heads(offsets, len), values);
    let total = |segment: &[u32]| {
        let (start, end) = (segment[0] as usize, (segment[1] as usize).min(len));
        if start < end { scanned[end - 1] } else { monoid.identity() }
    };
    offsets.windows(2).map(total).collect()
}

/// Where result `i` goes, in elements of the output.
pub(crate) fn place(job: &Job, i: usize) -> usize {
    let (row, within) = (i as u64 / job.len, i as u64 % job.len);
    job.target.element(within, row, job.inner_rows) as usize
}

/// The indices of keys with these codes in the order that the job asks for.
pub(crate) fn sorted_indices(job: &sort::Job, codes: Vec<u64>, segments: &[u32]) -> Vec<u32> {
    let flip = if job.descending { u64::MAX } else { 0 };
    let width = job.bits.end - job.bits.start;
    let mask = u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0);
    let rank = |i: &u32| {
        let segment = segments.partition_point(|start| start <= i);
        (segment, ((codes[*i as usize] ^ flip) >> job.bits.start) & mask)
    };
    let mut indices: Vec<u32> = (0..codes.len() as u32).collect();
    #[cfg(not(target_arch = "wasm32"))]
    rayon::slice::ParallelSliceMut::par_sort_by_key(&mut indices[..], rank);
    #[cfg(target_arch = "wasm32")]
    indices.sort_by_key(rank);
    indices
}
