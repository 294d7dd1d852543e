//! Scans on the host: the definition of each algorithm, run on all cores where that gains something.

use crate::{
    element::Element,
    monoid::Monoid,
    order,
    plan::scan::{Algorithm, Job},
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
