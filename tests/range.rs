//! Range sums against adding up, and integral images against the canonical order.

mod common;

use common::{
    checker::record,
    everywhere,
    inputs::{Sample, hashes, values},
    oracle::{assert_bits, naive},
    own, records, sized,
};
use gpuscan::{Device, Element, Error, GpuBuffer, GpuRangeSum, Number, Sum, Term};

/// Ranges of every kind in a list of `len`: random, all, none, backwards, and beyond the end.
fn ranges(len: u32, count: usize) -> Vec<u32> {
    let mut ranges: Vec<u32> = hashes(1).take(2 * count).map(|bits| bits as u32 % (len + 1)).collect();
    ranges.extend([0, len, 0, 0, len, len, 5, 3, 0, u32::MAX, u32::MAX, u32::MAX, len, u32::MAX]);
    ranges
}

fn boxes(width: u32, height: u32, count: usize) -> Vec<u32> {
    let random = hashes(2).take(count).flat_map(|bits| {
        let corner = |bits: u64, most: u32| (bits & 0xffff) as u32 % (most + 1);
        [
            corner(bits, width),
            corner(bits >> 16, height),
            corner(bits >> 32, width),
            corner(bits >> 48, height),
        ]
    });
    let mut boxes: Vec<u32> = random.collect();
    boxes.extend([0, 0, width, height, 1, 1, 1, 9, 0, 0, u32::MAX, u32::MAX, 3, 3, 2, 2]);
    boxes
}

fn added<T: Number>(values: impl Iterator<Item = T>) -> T {
    values.fold(T::ZERO, T::plus)
}

/// Integer sums are exact although the table wraps around.
#[test]
fn ranges_of_integers() {
    fn check<T: Term + Sample>()
    where
        Sum: gpuscan::Monoid<T>,
    {
        let len = sized(20_000, 3000);
        let list = values::<T>(3, len);
        let ranges = ranges(len as u32, 200);
        let in_list = |place: u32| (place as usize).min(len);
        let wanted: Vec<T> = ranges
            .chunks(2)
            .map(|range| {
                let end = in_list(range[1]);
                added(list[in_list(range[0]).min(end)..end].iter().copied())
            })
            .collect();
        for device in everywhere() {
            let sums = GpuRangeSum::new(&device);
            let table = sums.table(&device.upload(&list).expect("upload")).expect("a table");
            let ranges = device.upload(&ranges).expect("upload");
            let found = sums.ranges(&table, &ranges).expect("sums");
            assert_bits(&found.to_vec().expect("download"), &wanted, &device);
        }
    }
    check::<u32>();
    check::<i32>();
}

/// Floats are the difference of two running sums in the canonical order, to the bit.
#[test]
fn ranges_of_floats() {
    let list = values::<f32>(4, 5000);
    let running = naive(&Sum, &list, false);
    let ranges = ranges(5000, 300);
    let wanted: Vec<f32> = ranges
        .chunks(2)
        .map(|range| {
            let end = (range[1] as usize).min(5000);
            match (range[0] as usize).min(end) {
                start if start == end => 0.0,
                0 => running[end - 1],
                start => running[end - 1] - running[start - 1],
            }
        })
        .collect();
    for device in everywhere() {
        let sums = GpuRangeSum::new(&device);
        let table = sums.table(&device.upload(&list).expect("upload")).expect("a table");
        let ranges = device.upload(&ranges).expect("upload");
        let found = sums.ranges(&table, &ranges).expect("sums");
        assert_bits(&found.to_vec().expect("download"), &wanted, &device);
    }
}

/// Rows, then columns, each as the specification's words have it.
fn naive_integral<T: Element>(values: &[T], width: usize) -> Vec<T>
where
    Sum: gpuscan::Monoid<T>,
{
    let rows: Vec<T> = values.chunks(width).flat_map(|row| naive(&Sum, row, false)).collect();
    let mut table = rows.clone();
    for x in 0..width {
        let column: Vec<T> = rows.iter().skip(x).step_by(width).copied().collect();
        for (y, sum) in naive(&Sum, &column, false).into_iter().enumerate() {
            table[y * width + x] = sum;
        }
    }
    table
}

const SIZES: [(usize, usize); 10] =
    [(1, 1), (1, 100), (100, 1), (2, 2), (3, 5), (64, 64), (65, 33), (127, 129), (256, 17), (20_000, 3)];

#[test]
fn integral_images_are_canonical() {
    fn check<T: Term + Sample>()
    where
        Sum: gpuscan::Monoid<T>,
    {
        for (width, height) in SIZES {
            let image = values::<T>((width + height) as u64, width * height);
            let wanted = naive_integral(&image, width);
            for device in everywhere() {
                let what = format!("{width} × {height} {} on {device}", T::NAME);
                let image = device.upload(&image).expect("upload");
                let sums = GpuRangeSum::new(&device);
                let table = sums.integral(&image, width).expect("an integral image");
                assert_bits(&table.to_vec().expect("download"), &wanted, &what);
                sums.integral_into(&image, width, &image).expect("in place");
                assert_bits(&image.to_vec().expect("download"), &wanted, &what);
            }
        }
    }
    check::<u32>();
    check::<f32>();
}

/// More than a block in a row, and in a column.
#[test]
fn axes_of_several_blocks() {
    let long = (1 << 19) + 77;
    let list = values::<f32>(5, long);
    let wanted = naive(&Sum, &list, false);
    for device in everywhere() {
        let list = device.upload(&list).expect("upload");
        for width in [long, 1] {
            let table = GpuRangeSum::new(&device).integral(&list, width).expect("an integral image");
            assert_bits(&table.to_vec().expect("download"), &wanted, format_args!("{width} wide, {device}"));
        }
    }
}

#[test]
fn boxes_of_integers_are_exact() {
    for (width, height) in SIZES {
        let image = values::<u32>(6, width * height);
        let boxes = boxes(width as u32, height as u32, 100);
        let wanted: Vec<u32> = boxes
            .chunks(4)
            .map(|corners| {
                let [left, top, right, bottom] = [0, 1, 2, 3].map(|i| corners[i] as usize);
                let rows = top..bottom.min(height);
                added(rows.flat_map(|y| {
                    let row = &image[y * width..][..width];
                    row[left.min(width)..right.min(width).max(left.min(width))].iter().copied()
                }))
            })
            .collect();
        for device in everywhere() {
            let sums = GpuRangeSum::new(&device);
            let image = device.upload(&image).expect("upload");
            let table = sums.integral(&image, width).expect("an integral image");
            let boxes = device.upload(&boxes).expect("upload");
            let found = sums.boxes(&table, width, &boxes).expect("sums");
            let what = format_args!("{width} × {height} on {device}");
            assert_bits(&found.to_vec().expect("download"), &wanted, what);
        }
    }
}

/// Any place in any buffer, called and recorded; what lies around the results stays as it is.
#[test]
fn ranges_that_begin_anywhere() {
    let image = values::<f32>(7, 1000);
    let boxes = boxes(40, 25, 50);
    for device in everywhere() {
        let sums = GpuRangeSum::new(&device);
        let inside = |words: &[u32], before: usize| -> GpuBuffer<u32> {
            let all = [&vec![9; before], words, &[9; 7]].concat();
            device.upload(&all).and_then(|all| all.slice(before..before + words.len())).expect("upload")
        };
        let image_at = |before: usize| {
            let all = [&vec![9.0; before], &image[..], &[9.0; 7]].concat();
            device.upload(&all).and_then(|all| all.slice(before..before + 1000)).expect("upload")
        };
        let table = sums.integral(&image_at(0), 40).expect("an integral image");
        let wanted = sums.boxes(&table, 40, &inside(&boxes, 0)).expect("sums").to_vec().expect("download");
        let wanted_table = table.to_vec().expect("download");
        let (values, boxes) = (image_at(5), inside(&boxes, 3));
        for recorded in [false, true] {
            let memory =
                [1007, wanted.len() + 7].map(|len| device.upload(&vec![9.0f32; len]).expect("upload"));
            let table = memory[0].slice(3..1003).expect("a slice");
            let found = memory[1].slice(5..5 + wanted.len()).expect("a slice");
            match recorded && records(&device) {
                true => record(&device, |encoder| {
                    sums.encode_integral(encoder, &values, 40, &table)?;
                    sums.encode_boxes(encoder, &table, 40, &boxes, &found)
                }),
                false => sums
                    .integral_into(&values, 40, &table)
                    .and_then(|()| sums.boxes_into(&table, 40, &boxes, &found)),
            }
            .expect("sums");
            assert_bits(&table.to_vec().expect("download"), &wanted_table, &device);
            let around = memory[0].to_vec().expect("download");
            assert_eq!((&around[..3], &around[1003..]), (&[9.0; 3][..], &[9.0; 4][..]));
            let around = memory[1].to_vec().expect("download");
            assert_bits(&around[5..5 + wanted.len()], &wanted, &device);
            assert_eq!((&around[..5], &around[5 + wanted.len()..]), (&[9.0; 5][..], &[9.0; 2][..]));
        }
        // Ranges, recorded.
        if records(&device) {
            let (list, out) = (image_at(2), device.zeros::<f32>(2).expect("a buffer"));
            let ranges = device.upload(&[0u32, 1, 3, 4]).expect("upload");
            record(&device, |encoder| sums.encode_ranges(encoder, &list, &ranges, &out)).expect("sums");
            assert_bits(&out.to_vec().expect("download"), &[image[0], image[3] - image[2]], &device);
        }
    }
}

/// Queries of many pieces.
#[test]
fn devices_with_little_room() {
    let list = values::<u32>(8, 900);
    let ranges = ranges(900, 20_000);
    let cpu = Device::cpu();
    let on_cpu = [&list, &ranges].map(|values| cpu.upload(values).expect("upload"));
    let wanted = GpuRangeSum::new(&cpu).ranges(&on_cpu[0], &on_cpu[1]).expect("sums").to_vec().expect("here");
    for request in [Device::request().max_binding(8 << 10), Device::request().max_groups(3)] {
        let device = own(request);
        let (list, ranges) = (device.upload(&list).expect("upload"), device.upload(&ranges).expect("upload"));
        let found = GpuRangeSum::new(&device).ranges(&list, &ranges).expect("sums");
        assert_bits(&found.to_vec().expect("download"), &wanted, &device);
    }
    let device = own(Device::request().max_binding(8 << 10));
    let table = device.zeros::<u32>(2049).expect("a buffer");
    let error = GpuRangeSum::new(&device).ranges(&table, &device.upload(&[0u32, 1]).expect("upload"));
    assert!(matches!(error, Err(Error::TooLarge { expected: 8192, found: 8196, .. })), "{error:?}");
}

#[test]
fn nothing_at_all() {
    for device in everywhere() {
        let sums = GpuRangeSum::new(&device);
        let none = device.upload::<u32>(&[]).expect("upload");
        assert_eq!(sums.ranges(&none, &none).expect("sums").len(), 0);
        let ranges = device.upload(&[0u32, 7]).expect("upload");
        assert_eq!(sums.ranges(&none, &ranges).expect("sums").to_vec().expect("download"), [0]);
        for width in [0, 5] {
            let table = sums.integral(&none, width).expect("an integral image");
            let boxes = device.upload(&[0u32, 0, 3, 3]).expect("upload");
            assert_eq!(sums.boxes(&table, width, &boxes).expect("sums").to_vec().expect("download"), [0]);
        }
    }
}

#[test]
fn what_does_not_fit() {
    for device in everywhere() {
        let sums = GpuRangeSum::new(&device);
        let table = device.upload(&[1u32; 10]).expect("upload");
        let three = device.upload(&[0u32, 1, 2]).expect("upload");
        let said = |error: Error| error.to_string();
        assert_eq!(
            said(sums.ranges(&table, &three).expect_err("half a range")),
            "the ranges: expected two numbers each, found 3 numbers"
        );
        assert_eq!(
            said(sums.boxes(&table, 5, &three).expect_err("no box")),
            "the boxes: expected four numbers each, found 3 numbers"
        );
        let wanted = |width| {
            format!("the elements of a matrix: expected a multiple of its width of {width}, found 10")
        };
        assert_eq!(said(sums.integral(&table, 3).expect_err("cut short")), wanted(3));
        assert_eq!(said(sums.integral(&table, 0).expect_err("no width")), wanted(0));
        let error = sums.integral_into(&table, 5, &three).expect_err("three");
        assert!(matches!(error, Error::Length { expected: 10, found: 3, .. }), "{error:?}");
        let two = three.slice(..2).expect("a slice");
        let error =
            sums.ranges_into(&table, &two, &table.slice(..1).expect("a slice")).expect_err("over the table");
        assert!(matches!(error, Error::Invalid { what: "the sums", .. }), "{error:?}");
        let error = sums.ranges_into(&table, &two, &three).expect_err("three sums");
        assert_eq!(error, Error::Length { what: "the sums", expected: 1, found: 3 });
        let stray = Device::cpu().upload(&[1u32, 2]).expect("upload");
        assert!(matches!(sums.ranges(&stray, &two), Err(Error::WrongDevice { what: "the table", .. })));
        assert!(matches!(sums.ranges(&table, &stray), Err(Error::WrongDevice { what: "the ranges", .. })));
    }
}

#[test]
fn a_warm_call_makes_only_its_results() {
    let device = own(Device::request());
    let sums = GpuRangeSum::new(&device);
    let image = device.upload(&[3u32; 400]).expect("upload");
    let queries = device.upload(&[0u32, 0, 5, 5]).expect("upload");
    let calls = || {
        let table = sums.integral(&image, 20).expect("an integral image");
        sums.boxes(&table, 20, &queries).expect("sums");
        sums.ranges(&table, &queries).expect("sums");
    };
    calls();
    let before = device.counters();
    calls();
    let after = device.counters();
    assert_eq!(after.buffers, before.buffers + 3);
    assert_eq!((after.pipelines, after.scratch), (before.pipelines, before.scratch));
    assert_eq!(after.parameters, before.parameters);
}
