//! Elements of every width, maps, and scans of every shape, against a sequential rewording of each.

mod common;

use common::{
    checker::record,
    everywhere,
    inputs::{hashes, values},
    one_of,
    oracle::{assert_bits, naive},
    records, sized,
};
use gpuscan::{
    Algorithm, Device, Double, Element, Error, GpuScan, Last, Layout, Map, Monoid, Narrow, NonZero, Sum,
    Widen,
};
use half::f16;

/// Lengths around tiles of every width, and one of two blocks.
fn lengths() -> Vec<usize> {
    let mut lengths = vec![0, 1, 3, 1025, 4097, 20_001];
    if !common::small() {
        lengths.push((1 << 18) + 5000);
    }
    lengths
}

/// Inclusive and exclusive, into a new buffer and in place, at every length and at odd offsets.
#[track_caller]
fn check<T: Element>(
    devices: impl IntoIterator<Item = Device>,
    monoid: impl Monoid<T>,
    make: impl Fn(u64) -> T,
) {
    for device in devices {
        let scan = GpuScan::with_monoid(&device, monoid.clone()).algorithm(Algorithm::Auto);
        for len in lengths() {
            let input: Vec<T> = hashes(len as u64).take(len).map(&make).collect();
            for exclusive in [false, true] {
                let wanted = naive(&monoid, &input, exclusive);
                let what =
                    format!("{len} × {}, exclusive: {exclusive}, {device}", std::any::type_name::<T>());
                let uploaded = device.upload(&input).expect("upload");
                let scanning = |data| match exclusive {
                    false => scan.of(data),
                    true => scan.of(data).exclusive(),
                };
                let found: Vec<T> = scanning(&uploaded).run().expect(&what).to_vec().expect("download");
                assert_bits(&found, &wanted, &what);

                let odd: Vec<T> = input[..len.min(1)].iter().chain(&input).copied().collect();
                let odd = device.upload(&odd).expect("upload").slice(len.min(1)..).expect("a slice");
                scanning(&odd).run_into(&odd).expect(&what);
                assert_bits(&odd.to_vec().expect("download"), &wanted, format_args!("{what}, in place"));
            }
        }
    }
}

#[test]
fn sums_of_64_bits() {
    check::<u64>(everywhere(), Sum, |bits| bits);
}

#[test]
fn sums_of_vectors() {
    let float = |bits: u64| (bits >> 40) as f32 - 8e6;
    check::<[f32; 3]>(one_of(everywhere(), "f32"), Sum, |bits| {
        [float(bits), float(bits << 10), float(bits << 20)]
    });
    check::<[u32; 4]>(one_of(everywhere(), "u32"), Sum, |bits| {
        [bits as u32, (bits >> 9) as u32, (bits >> 20) as u32, (bits >> 32) as u32]
    });
}

/// The last of each word that is not zero: associative, and tells its operands apart.
#[derive(Clone)]
struct LastNonZero;

macro_rules! wide_elements {
    ($($name:ident: $count:literal;)*) => {
        $(#[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        struct $name([u32; $count]);

        impl $name {
            fn of(bits: u64) -> Self {
                Self(std::array::from_fn(|i| match bits >> i & 1 {
                    0 => 0,
                    _ => (bits.rotate_left(i as u32) >> 7) as u32,
                }))
            }
        }

        impl Element for $name {
            const LAYOUT: Layout = Layout::words($count);
        }

        impl Monoid<$name> for LastNonZero {
            fn identity(&self) -> $name {
                $name([0; $count])
            }

            fn combine(&self, left: $name, right: $name) -> $name {
                $name(std::array::from_fn(|i| if right.0[i] != 0 { right.0[i] } else { left.0[i] }))
            }

            fn wgsl(&self) -> std::borrow::Cow<'static, str> {
                let words: String =
                    (0..$count).map(|i| format!("r.w{i} = select(r.w{i}, left.w{i}, r.w{i} == 0u);\n")).collect();
                format!(
                    "fn identity() -> T {{ return T(); }}\n\
                     fn combine(left: T, right: T) -> T {{ var r = right;\n{words} return r; }}"
                )
                .into()
            }
        })*
    };
}

wide_elements! {
    Five: 5;
    Nine: 9;
    Sixteen: 16;
    Seventeen: 17;
}

/// Kernels of wide elements take drivers seconds to compile: one of each kind, at few lengths.
#[track_caller]
fn check_wide<T: Element>(lengths: &[usize], make: impl Fn(u64) -> T)
where
    LastNonZero: Monoid<T>,
{
    for device in one_of(everywhere(), std::any::type_name::<T>()) {
        let scan = GpuScan::with_monoid(&device, LastNonZero);
        for &len in lengths {
            let input: Vec<T> = hashes(len as u64).take(len).map(&make).collect();
            let data = device.upload(&input).expect("upload");
            let what = format!("{len} × {} on {device}", std::any::type_name::<T>());
            let found: Vec<T> = scan.exclusive(&data).expect(&what).to_vec().expect("download");
            assert_bits(&found, &naive(&LastNonZero, &input, true), what);
        }
    }
}

#[test]
fn elements_of_many_words() {
    check_wide(&[1, 1000, 20_001, sized(300_000, 5000)], Five::of);
    check_wide(&[1000, 5000], Nine::of);
    check_wide(&[3000], Sixteen::of);
}

/// Inputs of one type, combined in another.
#[track_caller]
fn check_map<A: Element, T: Element>(map: impl Map<A, T>, make: impl Fn(u64) -> A)
where
    Sum: Monoid<T>,
{
    for device in one_of(everywhere(), std::any::type_name::<(A, T)>()) {
        let scan = GpuScan::new(&device).mapping(map.clone());
        for len in lengths() {
            let input: Vec<A> = hashes(len as u64).take(len).map(&make).collect();
            let mapped: Vec<T> = input.iter().map(|&value| map.apply(value)).collect();
            let uploaded = device.upload(&input).expect("upload");
            assert_bits(&uploaded.to_vec().expect("download"), &input, "there and back");
            for start in [0, 1, 3, 4].into_iter().filter(|&start| start <= len) {
                let what = format!("{len} × {} from {start} on {device}", std::any::type_name::<A>());
                let part = uploaded.slice(start..).expect("a slice");
                assert_bits(&part.to_vec().expect("download"), &input[start..], &what);
                let found: Vec<T> = scan.inclusive(&part).expect(&what).to_vec().expect("download");
                assert_bits(&found, &naive(&Sum, &mapped[start..], false), &what);
            }
        }
    }
}

#[test]
fn narrow_inputs() {
    check_map::<u8, u32>(Widen, |bits| bits as u8);
    check_map::<i8, i32>(Widen, |bits| bits as i8);
    check_map::<u16, u32>(Widen, |bits| bits as u16);
    check_map::<i16, i32>(Widen, |bits| bits as i16);
    check_map::<f16, f32>(Widen, |bits| f16::from_f32((bits as i16) as f32 / 64.0));
}

/// Results narrower than a word, whole quads and from odd elements on, also where they overwrite their input; nothing
/// is written beside them.
#[track_caller]
fn check_narrow<A: Element, T: Element, B: Element>(lengths: &[usize], make: impl Fn(u64) -> A)
where
    Sum: Monoid<T>,
    Widen: Map<A, T>,
    Narrow: Map<T, A> + Map<T, B>,
{
    for device in one_of(everywhere(), std::any::type_name::<(A, B)>()) {
        let scan = GpuScan::new(&device).mapping(Widen).mapping_results(Narrow);
        for &len in lengths {
            let input: Vec<A> = hashes(len as u64).take(len + 2).map(&make).collect();
            let mut sums: Vec<T> = input[1..=len].iter().map(|&value| Widen.apply(value)).collect();
            gpuscan::order::scan(&Sum, &mut sums);
            for [from, to] in [[0, 0], [1, 3]] {
                let what = format!("{len} × {} to {to} on {device}", std::any::type_name::<B>());
                let zeros: Vec<B> = vec![B::zeroed(); len + 8];
                let (source, target) = (
                    device.upload(&input[1 - from..]).expect("upload"),
                    device.upload(&zeros).expect("upload"),
                );
                let output = target.slice(to..to + len).expect("a slice");
                let data = source.slice(from..from + len).expect("a slice");
                scan.of(&data).run_into(&output).expect(&what);
                let mut wanted = zeros;
                (0..len).for_each(|i| wanted[to + i] = Narrow.apply(sums[i]));
                assert_bits(&target.to_vec().expect("download"), &wanted, &what);

                let mut wanted = source.to_vec().expect("download");
                scan.of(&data).run_into(&data).expect(&what);
                (0..len).for_each(|i| wanted[from + i] = Narrow.apply(sums[i]));
                assert_bits(&source.to_vec().expect("download"), &wanted, format_args!("{what}, in place"));
            }
        }
    }
}

#[test]
fn narrow_results() {
    check_narrow::<u8, u32, u8>(&[1, 1003, sized(20_001, 9001)], |bits| bits as u8);
    check_narrow::<i16, i32, i8>(&[1003], |bits| bits as i16);
    check_narrow::<u16, u32, u16>(&[1002], |bits| bits as u16);
    // Sums of a few halves are exact, and then rounded.
    check_narrow::<f16, f32, f16>(&[1003], |bits| f16::from_f32((bits as i16 >> 4) as f32 / 64.0));
}

/// Every 16-bit float, the middle between it and the next, and what is just beside that middle.
#[test]
fn rounding_to_16_bits() {
    let near = |bits: u16| {
        let (this, next) = (f16::from_bits(bits), f16::from_bits(bits + 1));
        let middle = match next.is_finite() {
            true => (this.to_f32() + next.to_f32()) / 2.0,
            false => 65_520.0,
        };
        [this.to_f32(), middle, middle.next_down(), middle.next_up()]
    };
    let positive = (0..0x7c00).flat_map(near).chain([1e-30, 1e-40, 1e5, f32::MAX, f32::INFINITY]);
    let input: Vec<f32> = positive.flat_map(|x| [x, -x]).collect();
    let wanted: Vec<f16> = input.iter().map(|&x| f16::from_f32(x)).collect();
    for device in everywhere() {
        // Every value is the last so far, but for one that is not among them.
        let scan = GpuScan::with_monoid(&device, Last(0.1f32)).mapping_results(Narrow);
        let uploaded = device.upload(&input).expect("upload");
        let found: Vec<f16> = scan.inclusive(&uploaded).expect("a scan").to_vec().expect("download");
        assert_bits(&found, &wanted, &device);
        let not = device.upload(&[f32::NAN, -f32::NAN]).expect("upload");
        let found: Vec<f16> = scan.inclusive(&not).expect("a scan").to_vec().expect("download");
        assert!(found.iter().all(|found| found.is_nan()), "{device}");
    }
}

#[test]
fn counts_and_wide_sums() {
    check_map::<u8, u32>(NonZero, |bits| bits as u8 & 1);
    check_map::<f32, u32>(NonZero, |bits| [0.0, -0.0, 1.0, f32::NAN][(bits & 3) as usize]);
    check_map::<u32, u64>(Double, |bits| bits as u32);
    check_map::<i32, i64>(Double, |bits| bits as i32);
}

/// Public cases: cub#302, pytorch#3304, pytorch#53358.
#[test]
fn wide_accumulators() {
    for device in everywhere() {
        let widened = GpuScan::new(&device).mapping(Widen);
        let bytes = device.upload(&[100i8, 28, 1]).expect("upload");
        let sums = widened.exclusive(&bytes).expect("a scan");
        assert_eq!(sums.to_vec().expect("download"), [0, 100, 128]);
        let ones = device.upload(&[1u8; 300]).expect("upload");
        let sums: Vec<u32> = widened.inclusive(&ones).expect("a scan").to_vec().expect("download");
        assert_eq!(sums[299], 300);
        let flags = device.upload(&[0u8, 1, 1]).expect("upload");
        let counts = GpuScan::new(&device).mapping(NonZero).inclusive(&flags).expect("a scan");
        assert_eq!(counts.to_vec().expect("download"), [0, 1, 2]);
    }
}

/// What a scan of `row` from `start` gives.
fn wanted<T: Element, M: Monoid<T>>(monoid: &M, row: &[T], start: Option<T>, exclusive: bool) -> Vec<T> {
    let mut result = row.to_vec();
    gpuscan::order::scan_after(monoid, start, &mut result);
    if exclusive && !result.is_empty() {
        result.rotate_right(1);
        result[0] = start.unwrap_or(monoid.identity());
    }
    result
}

#[test]
fn values_to_start_from() {
    for device in everywhere() {
        for algorithm in [Algorithm::Auto, Algorithm::SinglePass] {
            let scan = GpuScan::new(&device).algorithm(algorithm);
            for len in lengths() {
                let input = values::<f32>(5, len);
                let uploaded = device.upload(&input).expect("upload");
                let starts = device.upload(&[1.5f32, -0.25, 3e7]).expect("upload");
                for exclusive in [false, true] {
                    let scanning = match exclusive {
                        false => scan.of(&uploaded),
                        true => scan.of(&uploaded).exclusive(),
                    };
                    let what = format!("{algorithm} of {len}, exclusive: {exclusive}, {device}");
                    let found = scanning.clone().starting_from(3e7).run().expect(&what);
                    let wanted = wanted(&Sum, &input, Some(3e7), exclusive);
                    assert_bits(&found.to_vec().expect("download"), &wanted, &what);
                    let start = starts.slice(2..).expect("a slice");
                    let found = scanning.starting_from_buffer(&start).run().expect(&what);
                    assert_bits(
                        &found.to_vec().expect("download"),
                        &wanted,
                        format_args!("{what}, on device"),
                    );
                }
            }
        }
    }
}

#[test]
fn backwards() {
    for device in everywhere() {
        let scan = GpuScan::new(&device).algorithm(Algorithm::ThreePass);
        for len in lengths() {
            let input = values::<f32>(6, len);
            let uploaded = device.upload(&input).expect("upload");
            for exclusive in [false, true] {
                let turned: Vec<f32> = input.iter().rev().copied().collect();
                let mut wanted = wanted(&Sum, &turned, None, exclusive);
                wanted.reverse();
                let scanning = match exclusive {
                    false => scan.of(&uploaded).reversed(),
                    true => scan.of(&uploaded).exclusive().reversed(),
                };
                let what = format!("{len} backwards, exclusive: {exclusive}, {device}");
                let found: Vec<f32> = scanning.run().expect(&what).to_vec().expect("download");
                assert_bits(&found, &wanted, what);
            }
        }
    }
}

#[test]
fn rows_of_any_length() {
    let shapes = [
        (1, 5000),
        (3, 3000),
        (5, 2001),
        (100, 77),
        (1000, 33),
        (1024, 20),
        (4095, 5),
        (4096, 3),
        (4097, 4),
        (9000, 3),
        (sized(270_000, 20_000), 2),
        (0, 0),
        (7, 0),
    ];
    for device in everywhere() {
        let scan = GpuScan::new(&device).algorithm(Algorithm::ThreePass);
        for (len, rows) in shapes {
            let input = values::<f32>(len as u64, len * rows);
            let uploaded = device.upload(&input).expect("upload");
            for exclusive in [false, true] {
                // Every kernel takes a software driver a second to compile: half of all combinations.
                let start = exclusive.then_some(2.5);
                let wanted: Vec<f32> =
                    input.chunks(len.max(1)).flat_map(|row| wanted(&Sum, row, start, exclusive)).collect();
                let mut scanning = scan.of(&uploaded).rows(len);
                if let Some(start) = start {
                    scanning = scanning.exclusive().starting_from(start);
                }
                let what = format!("{rows} rows of {len}, exclusive: {exclusive}, {device}");
                let found: Vec<f32> = scanning.run().expect(&what).to_vec().expect("download");
                assert_bits(&found, &wanted, what);
            }
        }
        let error = scan.of(&device.upload(&[1.0f32; 10]).expect("upload")).rows(3).run::<f32>();
        assert!(matches!(error, Err(Error::Length { expected: 9, found: 10, .. })), "{error:?}");
    }
}

#[test]
fn any_axis_of_an_array() {
    for device in everywhere() {
        let scan = GpuScan::new(&device);
        for lens in [vec![7, 5, 3], vec![40, 300], vec![3, 5000, 2]] {
            let n: usize = lens.iter().product();
            let input = values::<f32>(n as u64, n);
            let uploaded = device.upload(&input).expect("upload");
            for axis in 0..lens.len() {
                for reversed in [false, true] {
                    let inner: usize = lens[axis + 1..].iter().product();
                    let mut wanted = input.clone();
                    for outer in 0..n / (lens[axis] * inner) {
                        for within in 0..inner {
                            let place = |i: usize| (outer * lens[axis] + i) * inner + within;
                            let mut row: Vec<f32> = (0..lens[axis]).map(|i| input[place(i)]).collect();
                            if reversed {
                                row.reverse();
                            }
                            let mut row = self::wanted(&Sum, &row, None, false);
                            if reversed {
                                row.reverse();
                            }
                            (0..lens[axis]).for_each(|i| wanted[place(i)] = row[i]);
                        }
                    }
                    let mut scanning = scan.of(&uploaded).axis(&lens, axis);
                    if reversed {
                        scanning = scanning.reversed();
                    }
                    let what = format!("axis {axis} of {lens:?}, reversed: {reversed}, {device}");
                    let found: Vec<f32> = scanning.run().expect(&what).to_vec().expect("download");
                    assert_bits(&found, &wanted, what);
                }
            }
        }
        let data = device.upload(&[1u32; 12]).expect("upload");
        let error = scan.of(&data).axis(&[3, 4], 2).run::<u32>();
        assert!(matches!(error, Err(Error::Range { len: 2, .. })), "{error:?}");
        let error = scan.of(&data).axis(&[3, 5], 0).run::<u32>();
        assert!(matches!(error, Err(Error::Length { expected: 15, found: 12, .. })), "{error:?}");
    }
}

#[test]
fn steps_leave_what_lies_between() {
    for device in everywhere() {
        let scan = GpuScan::new(&device);
        for len in [1, 10, 10_001] {
            let input = values::<u32>(len as u64, len);
            let uploaded = device.upload(&input).expect("upload");
            let taken: Vec<u32> = input.iter().step_by(3).copied().collect();
            let sums = wanted(&Sum, &taken, None, false);
            let output = device.upload(&vec![7u32; (taken.len() - 1) * 2 + 1]).expect("upload");
            scan.of(&uploaded).steps(3, 2).run_into(&output).expect("a scan");
            let found = output.to_vec().expect("download");
            for (i, value) in found.iter().enumerate() {
                let wanted = if i % 2 == 0 { sums[i / 2] } else { 7 };
                assert_eq!(*value, wanted, "{i} of {len} on {device}");
            }
        }
    }
}

/// The number of elements is on the device: from none to more than there are.
#[test]
fn counts_on_the_device() {
    for device in everywhere() {
        let scan = GpuScan::new(&device);
        for capacity in [1, 4096, 10_000, sized((1 << 18) + 9000, 20_000)] {
            let input = values::<f32>(7, capacity);
            let uploaded = device.upload(&input).expect("upload");
            for count in [0, 1, 4095, 4096, 4097, 8192, capacity - 1, capacity, capacity + 1, 1 << 30] {
                let here = count.min(capacity);
                let counts = device.upload(&[77, count as u32]).expect("upload").slice(1..).expect("a slice");
                for exclusive in [false, true] {
                    let mut wanted = wanted(&Sum, &input[..here], Some(0.5), exclusive);
                    wanted.resize(capacity, -7.0);
                    let output = device.upload(&vec![-7.0f32; capacity]).expect("upload");
                    let mut scanning = scan.of(&uploaded).starting_from(0.5).counted_by(&counts);
                    if exclusive {
                        scanning = scanning.exclusive();
                    }
                    let what = format!("{count} of {capacity}, exclusive: {exclusive}, {device}");
                    scanning.run_into(&output).expect(&what);
                    assert_bits(&output.to_vec().expect("download"), &wanted, what);
                }
            }
        }
        let data = device.upload(&[1u32; 6]).expect("upload");
        let error = scan.of(&data).rows(3).counted_by(&data.slice(..1).expect("a slice")).run::<u32>();
        assert!(matches!(error, Err(Error::Combination { .. })), "{error:?}");
        let error = scan.of(&data).counted_by(&data).run::<u32>();
        assert!(
            matches!(error, Err(Error::Length { what: "the count", expected: 1, found: 6 })),
            "{error:?}"
        );
    }
}

#[test]
fn columns_in_one_call() {
    for device in everywhere() {
        let lens = [5000, 0, 7];
        let columns: Vec<Vec<f32>> = lens.iter().map(|&len| values(len as u64, len)).collect();
        let uploaded: Vec<_> = columns.iter().map(|column| device.upload(column).expect("upload")).collect();
        let scan = GpuScan::new(&device);
        let results = scan.exclusive_columns(&uploaded.iter().collect::<Vec<_>>()).expect("scans");
        for (result, column) in results.iter().zip(&columns) {
            assert_bits(&result.to_vec().expect("download"), &wanted(&Sum, column, None, true), &device);
        }
        let elsewhere = Device::cpu().upload(&[1.0f32]).expect("upload");
        let error =
            scan.inclusive_columns(&[&uploaded[0], &elsewhere]).map(|_: Vec<gpuscan::GpuBuffer<f32>>| ());
        assert!(matches!(error, Err(Error::WrongDevice { .. })), "{error:?}");
    }
}

#[test]
fn shapes_can_be_recorded() {
    for device in everywhere().filter(records) {
        let input = device.upload(&[1u32, 2, 3, 4, 5, 6]).expect("upload");
        let output = device.zeros::<u32>(6).expect("a buffer");
        let scan = GpuScan::new(&device);
        record(&device, |encoder| {
            scan.of(&input).rows(2).starting_from(10).encode(encoder, &output)?;
            scan.of(&output).reversed().encode(encoder, &output)
        })
        .expect("recording");
        assert_eq!(output.to_vec().expect("download"), [90, 79, 66, 53, 36, 21]);
    }
}

/// Lengths whose product no number holds, and steps that lead beyond all memory.
#[test]
fn shapes_beyond_all_numbers() {
    const ALL: usize = usize::MAX;
    for device in everywhere() {
        let scan = GpuScan::new(&device);
        let data = device.upload(&[3u32; 12]).expect("upload");
        for lens in [[ALL, 2], [2, ALL], [ALL, ALL]] {
            for axis in 0..2 {
                let error = scan.of(&data).axis(&lens, axis).run::<u32>().map(|_| ());
                assert!(matches!(error, Err(Error::Length { found: 12, .. })), "{error:?}");
            }
        }
        let nothing = device.upload::<u32>(&[]).expect("upload");
        let none = scan.of(&nothing).axis(&[0, ALL, ALL], 0).run().expect("nothing");
        assert_eq!(none.to_vec().expect("download"), [0u32; 0]);

        for reversed in [false, true] {
            let with = |input, output| {
                let scanning = scan.of(&data).steps(input, output);
                if reversed { scanning.reversed() } else { scanning }
            };
            let error = with(1, ALL).run_into(&data);
            assert!(matches!(error, Err(Error::Length { found: 12, .. })), "{error:?}");
            let error = with(1, ALL).run::<u32>().map(|_| ());
            assert!(matches!(error, Err(Error::TooLarge { .. } | Error::OutOfMemory { .. })), "{error:?}");
            let one = with(ALL, ALL).run().expect("one element");
            assert_eq!(one.to_vec().expect("download"), [3u32]);
        }
    }
}

#[test]
fn elements_that_cannot_be_scanned() {
    #[derive(Clone)]
    struct Bytes;
    impl Monoid<u8> for Bytes {
        fn identity(&self) -> u8 {
            0
        }
        fn combine(&self, left: u8, right: u8) -> u8 {
            left.wrapping_add(right)
        }
        fn wgsl(&self) -> std::borrow::Cow<'static, str> {
            "".into()
        }
    }
    for device in everywhere() {
        let data = device.upload(&[1u8, 2]).expect("upload");
        let error = GpuScan::with_monoid(&device, Bytes).inclusive(&data).map(|_| ());
        assert!(matches!(error, Err(Error::Layout { expected: 4, found: 1, .. })), "{error:?}");
    }
    let device = Device::cpu();
    // Two words in Rust, three in its layout.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    struct Pair([u32; 2]);
    impl Element for Pair {
        const LAYOUT: Layout = Layout::structure("Pair", &[("a", u32::LAYOUT), ("b", <[u32; 2]>::LAYOUT)]);
    }
    let data = device.upload(&[Pair([1, 2])]).expect("upload");
    let error = GpuScan::with_monoid(&device, Last(Pair([0; 2]))).inclusive(&data).map(|_| ());
    assert!(matches!(error, Err(Error::Layout { what: "bytes", expected: 12, found: 8, .. })), "{error:?}");
    let data = device.upload(&[Seventeen::of(1)]).expect("upload");
    let error = GpuScan::with_monoid(&device, LastNonZero).inclusive(&data).map(|_| ());
    assert!(matches!(error, Err(Error::Layout { expected: 64, found: 68, .. })), "{error:?}");
}
