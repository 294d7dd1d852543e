//! Sparse rows and linear recurrences against loops.

mod common;

use common::{
    everywhere,
    inputs::{hashes, uniform},
    oracle::assert_bits,
    sized,
};
use gpuscan::{Error, GpuCsr, GpuRecurrence, GpuScan, MatrixProduct};

#[test]
fn edges_become_rows() {
    for device in everywhere() {
        let csr = GpuCsr::new(&device);
        for (rows, edges) in [(0, 0), (1, 0), (1, 5), (7, 3), (300, sized(20_000, 3000)), (5000, 700)] {
            let sources: Vec<u32> =
                hashes(rows.into()).take(edges).map(|bits| bits as u32 % rows.max(1)).collect();
            let targets: Vec<u32> = (0..edges as u32).collect();
            let mut lists = vec![Vec::new(); rows as usize];
            for (&source, &target) in sources.iter().zip(&targets) {
                lists[source as usize].push(target);
            }
            let mut offsets = vec![0u32];
            offsets.extend(lists.iter().scan(0, |end, list| {
                *end += list.len() as u32;
                Some(*end)
            }));
            let what = format!("{edges} edges of {rows} rows on {device}");
            let (from, to) =
                (device.upload(&sources).expect("upload"), device.upload(&targets).expect("upload"));
            let found = csr.rows_of(&from, &to, rows).expect(&what);
            assert_bits(&found.offsets.to_vec().expect("download"), &offsets, &what);
            assert_bits(&found.entries.to_vec().expect("download"), &lists.concat(), &what);
            let degrees: Vec<u32> = lists.iter().map(|list| list.len() as u32).collect();
            assert_bits(&csr.degrees(&from, rows).expect(&what).to_vec().expect("download"), &degrees, &what);
        }
        let (rows, few) =
            (device.upload(&[0u32, 1]).expect("upload"), device.upload(&[0u32]).expect("upload"));
        let error = csr.rows_of(&rows, &few, 2).map(|_| ());
        assert!(matches!(error, Err(Error::Length { expected: 2, found: 1, .. })), "{error:?}");
    }
}

/// The same bits on every device, and those of a loop up to rounding.
#[test]
fn recurrences_are_solved() {
    let len = sized(40_000, 5000);
    let steps: Vec<[f32; 2]> =
        hashes(9).take(len).map(|bits| [0.9 * uniform(bits), uniform(bits << 20)]).collect();
    let whole: Vec<[u32; 2]> = hashes(8).take(len).map(|bits| [bits as u32, (bits >> 32) as u32]).collect();
    let on = |device: &gpuscan::Device| {
        let steps = device.upload(&steps).expect("upload");
        GpuRecurrence::new(device, 3.5f32).solve(&steps).expect("a recurrence").to_vec().expect("download")
    };
    let wanted = on(&gpuscan::Device::cpu());
    let mut x = 3.5f64;
    for (i, (&[a, b], &solved)) in steps.iter().zip(&wanted).enumerate() {
        x = f64::from(a) * x + f64::from(b);
        assert!((f64::from(solved) - x).abs() < 1e-4 * x.abs().max(1.0), "{i}: {solved} for {x}");
    }
    let mut y = 7u32;
    let loop_mod: Vec<u32> = whole
        .iter()
        .map(|&[a, b]| {
            y = a.wrapping_mul(y).wrapping_add(b);
            y
        })
        .collect();
    for device in everywhere() {
        assert_bits(&on(&device), &wanted, &device);
        let whole = device.upload(&whole).expect("upload");
        let solved = GpuRecurrence::new(&device, 7u32).solve(&whole).expect("a recurrence");
        assert_bits(&solved.to_vec().expect("download"), &loop_mod, &device);
    }
}

/// Fibonacci's numbers modulo 2^32, up to the millionth where the driver is quick.
#[test]
fn fibonacci() {
    let len = sized(1_000_000, 10_000);
    for device in everywhere() {
        let steps = device.upload(&vec![[1u32, 1, 1, 0]; len]).expect("upload");
        let powers = GpuScan::with_monoid(&device, MatrixProduct).inclusive(&steps).expect("a scan");
        let (mut a, mut b) = (0u32, 1u32);
        for (i, power) in powers.to_vec().expect("download").into_iter().enumerate() {
            (a, b) = (b, a.wrapping_add(b));
            assert_eq!(power[1], a, "F({}) on {device}", i + 1);
        }
    }
}
