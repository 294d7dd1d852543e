//! Sparse rows and linear recurrences against loops.

mod common;

use common::{
    checker::record,
    everywhere,
    inputs::{hashes, uniform},
    oracle::assert_bits,
    records, sized,
};
use gpuscan::{Csr, Device, Error, GpuCsr, GpuRecurrence, GpuScan, MatrixProduct};

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

/// The second order: to the bit on every device, and a loop up to rounding; exactly a loop modulo 2^32.
#[test]
fn recurrences_of_the_second_order() {
    let len = 3000;
    // Poles inside the unit circle: an oscillation that fades.
    let steps: Vec<[f32; 3]> =
        hashes(5).take(len).map(|bits| [1.6 + 0.1 * uniform(bits), -0.8, uniform(bits << 20)]).collect();
    let whole: Vec<[u32; 3]> =
        hashes(6).take(900).map(|bits| [bits as u32, (bits >> 16) as u32, (bits >> 32) as u32]).collect();
    let on = |device: &Device| {
        let steps = device.upload(&steps).expect("upload");
        let solved = GpuRecurrence::new(device, [0.5f32, -1.5]).solve(&steps).expect("a recurrence");
        solved.to_vec().expect("download")
    };
    let wanted = on(&Device::cpu());
    let mut last = [0.5f64, -1.5];
    for (i, (&[a, b, c], &solved)) in steps.iter().zip(&wanted).enumerate() {
        last = [f64::from(a) * last[0] + f64::from(b) * last[1] + f64::from(c), last[0]];
        assert!((f64::from(solved) - last[0]).abs() < 1e-3, "{i}: {solved} for {}", last[0]);
    }
    let mut last = [7u32, 9];
    let loop_mod: Vec<u32> = whole
        .iter()
        .map(|&[a, b, c]| {
            let next = a.wrapping_mul(last[0]).wrapping_add(b.wrapping_mul(last[1])).wrapping_add(c);
            last = [next, last[0]];
            next
        })
        .collect();
    for device in everywhere() {
        assert_bits(&on(&device), &wanted, &device);
        let whole = device.upload(&whole).expect("upload");
        let solved = GpuRecurrence::new(&device, [7u32, 9]).solve(&whole).expect("a recurrence");
        assert_bits(&solved.to_vec().expect("download"), &loop_mod, &device);
    }
}

/// Rows of every length, the same bits on every device, and those of a sum in f64 up to rounding.
#[test]
fn products_of_matrix_and_vector() {
    let len = sized(30_000, 5000);
    let columns: Vec<u32> = hashes(1).take(len).map(|bits| bits as u32 % 1000).collect();
    let values: Vec<f32> = hashes(2).take(len).map(|bits| uniform(bits) - 0.5).collect();
    let x: Vec<f32> = hashes(3).take(990).map(|bits| uniform(bits) - 0.5).collect(); // not all columns
    let mut offsets = vec![0u32, 0, 3, 3];
    offsets.extend(hashes(4).take(500).scan(3, |end, bits| {
        *end += (bits as u32 % 40).saturating_sub(20);
        (*end < len as u32).then_some(*end)
    }));
    offsets.push(len as u32); // one long row
    let on = |device: &Device, recorded: bool| {
        let upload = |values: &[f32]| device.upload(values).expect("upload");
        let offsets = device.upload(&offsets).expect("upload");
        let matrix = Csr { offsets, entries: device.upload(&columns).expect("upload") };
        let (values, x, csr) = (upload(&values), upload(&x), GpuCsr::new(device));
        let y = match recorded {
            false => csr.multiply(&matrix, &values, &x).expect("a product"),
            true => {
                let y = device.zeros(matrix.offsets.len() - 1).expect("a buffer");
                record(device, |encoder| csr.encode_multiply(encoder, &matrix, &values, &x, &y))
                    .expect("a product");
                y
            }
        };
        let error = csr.multiply(&matrix, &x, &x).map(|_| ());
        assert!(matches!(error, Err(Error::Length { what: "the values", found: 990, .. })), "{error:?}");
        let error = csr.multiply_into(&matrix, &values, &y, &y);
        assert!(matches!(error, Err(Error::Invalid { what: "the product", .. })), "{error:?}");
        // An empty vector: no column is there.
        let nothing = csr.multiply(&matrix, &values, &device.zeros(0).expect("a buffer")).expect("zeros");
        assert!(nothing.to_vec().expect("download").iter().all(|&y| y == 0.0), "{device}");
        y.to_vec().expect("download")
    };
    let wanted = on(&Device::cpu(), false);
    for (row, ends) in offsets.windows(2).enumerate() {
        let entries = ends[0] as usize..ends[1] as usize;
        let (mut sum, mut size) = (0.0f64, 0.0);
        for (&column, &value) in columns[entries.clone()].iter().zip(&values[entries]) {
            let product = f64::from(value) * x.get(column as usize).map_or(0.0, |&x| f64::from(x));
            (sum, size) = (sum + product, size + product.abs());
        }
        let found = f64::from(wanted[row]);
        assert!((found - sum).abs() <= 2e-6 * size, "row {row}: {found} for {sum}");
    }
    for device in everywhere() {
        assert_bits(&on(&device, records(&device)), &wanted, &device);
    }
}
