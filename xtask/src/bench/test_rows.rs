//! Rows for the tests of this folder.

use super::origin::Origin;
use super::report::{Report, Row};

/// A row whose samples spread by 1 % to either side of the median.
pub fn row(peer: Option<&str>, n: u64, median_us: f64) -> Row {
    Row {
        primitive: "inclusive_sum".into(),
        element: "u32".into(),
        algorithm: "single pass".into(),
        backend: "vulkan".into(),
        peer: peer.map(Into::into),
        n,
        median_us,
        min_us: median_us * 0.99,
        max_us: median_us * 1.01,
        bytes: 8 * n,
        checked: true,
    }
}

pub fn origin() -> Origin {
    Origin {
        machine: "a machine".into(),
        driver: "a driver".into(),
        date: "2026-01-01".into(),
        commit: Some("0000000".into()),
    }
}

pub fn report<R>(rows: Vec<R>) -> Report<R> {
    origin().report(rows).expect("the commit is given")
}
