//! Scans on the host: the definition of each algorithm, run on all cores where that gains something.

use crate::{
    element::Element,
    monoid::Monoid,
    order,
    plan::{
        scan::{Algorithm, Job},
        sort,
    },
    textbook,
};

/// Scans `values` as the job says.
pub(crate) fn scan<T: Element, M: Monoid<T>>(monoid: &M, job: &Job, mut values: Vec<T>) -> Vec<T> {
    match job.algorithm {
        Algorithm::HillisSteele => textbook::hillis_steele(monoid, &values, job.exclusive),
        Algorithm::Blelloch => textbook::blelloch(monoid, &values, job.exclusive),
        Algorithm::SingleTile | Algorithm::ThreePass | Algorithm::SinglePass | Algorithm::Auto => {
            match job.algorithm {
                Algorithm::SingleTile => order::scan(monoid, &mut values),
                _ => order::scan_parallel(monoid, &mut values),
            }
            if job.exclusive {
                order::shift(monoid, &mut values);
            }
            values
        }
    }
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
