//! What plans look like, without a device.

use std::collections::HashSet;

use super::*;
use crate::{
    element::Element,
    kernel::{Kernel, Operator, tests::storage_bindings},
    map::{Map, Same},
    monoid::{Compensated, Exact, ExactSum, Min, Monoid, Sum},
};

/// Bytes of an element.
const ELEMENT: u64 = WORD;

/// A scan from one buffer into another, each just as large as has to be for whole quads.
fn job(algorithm: Algorithm, len: u64) -> Job {
    let place = Place { offset: 0, buffer: (len * ELEMENT).next_multiple_of(QUAD * ELEMENT) };
    Job { input: place, output: place, ..Job::new(algorithm, false, len, [u32::LAYOUT; 3]) }
}

fn sum() -> Operator {
    Operator::plain::<u32, _>(&Sum)
}

fn kernel_of(dispatch: &Dispatch) -> ScanKernel {
    let Kernel::Scan(kernel) = dispatch.kernel else { panic!("{dispatch:?}") };
    kernel
}

fn params_of(dispatch: &Dispatch) -> Params {
    *bytemuck::from_bytes(bytemuck::cast_slice(&dispatch.params))
}

fn passes(job: &Job, capabilities: &Capabilities) -> Vec<Pass> {
    let plan = scan(job, capabilities).expect("a plan");
    plan.dispatches.iter().map(|dispatch| kernel_of(dispatch).pass).collect()
}

#[test]
fn nothing_takes_nothing() {
    for algorithm in Algorithm::ALL {
        assert_eq!(scan(&job(algorithm, 0), &Capabilities::usual()), Ok(Plan::default()));
    }
}

#[test]
fn passes_are_as_few_as_can_be() {
    use Pass::*;
    let block = order::BLOCK as u64;
    let passes = |algorithm, len| passes(&job(algorithm, len), &Capabilities::usual());
    assert_eq!(passes(Algorithm::SingleTile, 8192), [Scan]);
    assert_eq!(passes(Algorithm::ThreePass, 1), [Scan]);
    assert_eq!(passes(Algorithm::ThreePass, 8193), [Reduce, Scan]);
    assert_eq!(passes(Algorithm::ThreePass, block), [Reduce, Scan]);
    assert_eq!(passes(Algorithm::ThreePass, block + 1), [Reduce, Fold, Scan]);
    assert_eq!(passes(Algorithm::SinglePass, 100 * block), [LookBack]);
    assert_eq!(passes(Algorithm::HillisSteele, 256), [HillisSteele]);
    assert_eq!(passes(Algorithm::HillisSteele, 257), [HillisSteele, HillisSteele, UniformAdd]);
    let three_levels = [Blelloch, Blelloch, Blelloch, UniformAdd, UniformAdd];
    assert_eq!(passes(Algorithm::Blelloch, 512 * 512 + 1), three_levels);
}

#[test]
fn the_choice_depends_on_length_and_device() {
    let on = |capabilities: &Capabilities, len| choose(Algorithm::Auto, 1, len, capabilities);
    let gpu = Capabilities::usual();
    assert_eq!(on(&gpu, 1), Algorithm::SingleTile);
    assert_eq!(on(&gpu, 8192), Algorithm::SingleTile);
    for len in [8193, 1 << 20, 1 << 28] {
        let single = tuning::prefers_single_pass(&gpu, 1, len);
        let wanted = if single { Algorithm::SinglePass } else { Algorithm::ThreePass };
        assert_eq!(on(&gpu, len), wanted);
    }
    let plain = Capabilities { subgroups: false, ..Capabilities::usual() };
    assert_eq!(on(&plain, 4096), Algorithm::SingleTile);
    assert_ne!(on(&plain, 4097), Algorithm::SingleTile);
    let software = Capabilities { software: true, ..Capabilities::usual() };
    assert_eq!(on(&software, 1 << 20), Algorithm::ThreePass);
    for named in Algorithm::ALL.into_iter().filter(|&named| named != Algorithm::Auto) {
        assert_eq!(choose(named, 1, 1 << 20, &software), named);
    }
}

/// A single pass re-reads its input, so it cannot write over it.
#[test]
fn in_place_takes_no_single_pass() {
    let in_place = Job { same_buffer: true, ..job(Algorithm::SinglePass, 1 << 20) };
    let three = Job { algorithm: Algorithm::ThreePass, ..in_place.clone() };
    assert_eq!(scan(&in_place, &Capabilities::usual()), scan(&three, &Capabilities::usual()));
}

/// Lengths, places and devices of all kinds.
fn all_kinds() -> impl Iterator<Item = (Job, Capabilities)> {
    let devices = [
        Capabilities::usual(),
        Capabilities { subgroups: false, binding_alignment: 32, ..Capabilities::usual() },
        Capabilities { max_binding: 40 << 10, max_groups: 7, ..Capabilities::usual() },
        Capabilities { max_binding: 3 << 20, tile_log2: Some(10), max_groups: 99, ..Capabilities::usual() },
        Capabilities { max_binding: u64::MAX, binding_alignment: 64, ..Capabilities::usual() },
    ];
    let lens = [1, 3, 4, 255, 4096, 4097, 8193, 99_999, 300_000, 1 << 20, 3_000_001];
    // Elements before input and output, and after.
    let places = [([0, 0], 0), ([0, 0], 3), ([64, 128], 1), ([4, 12], 0), ([1, 3], 2), ([64, 5], 0)];
    let cases = devices.into_iter().flat_map(move |device| lens.map(|len| (device.clone(), len)));
    cases.flat_map(move |(device, len)| {
        places.into_iter().flat_map(move |([a, b], after)| {
            let device = device.clone();
            let place = |before, between: u64| Place {
                offset: before * ELEMENT,
                buffer: (before + len + between + after) * ELEMENT,
            };
            let jobs = [
                // Apart; in place; one behind the other in one buffer.
                (place(a, 0), place(b, 0), false),
                (place(a, 0), place(a, 0), true),
                (place(a, b + len), Place { offset: (a + len + b) * ELEMENT, ..place(a, b + len) }, true),
            ];
            jobs.into_iter().flat_map(move |(input, output, same_buffer)| {
                let device = device.clone();
                Algorithm::ALL.into_iter().map(move |algorithm| {
                    let job = Job { input, output, same_buffer, ..job(algorithm, len) };
                    (job, device.clone())
                })
            })
        })
    })
}

/// Where a dispatch's piece begins and ends in the input's buffer and in the output's, in bytes.
fn span(dispatch: &Dispatch, slot: u32, base: u32) -> Range<u64> {
    let cell = access::cell_bytes(&u32::LAYOUT, kernel_of(dispatch).access);
    let binding = dispatch.bindings.iter().find(|binding| binding.slot == slot).expect("it is bound");
    let start = binding.range.start + u64::from(base) * cell;
    let end = start + u64::from(params_of(dispatch).count) * ELEMENT;
    assert!(end.next_multiple_of(cell) <= binding.range.end, "the binding reaches to the last cell");
    start..end
}

/// Bindings that devices accept, grids that cover their tiles, and pieces that make up the whole.
#[test]
fn every_plan_is_sound() {
    let (mut planned, mut refused) = (0, 0);
    for (job, device) in all_kinds() {
        let plan = match scan(&job, &device) {
            Ok(plan) => plan,
            Err(Error::TooLarge { expected, found, .. }) => {
                assert!(found > expected, "{job:?} on {device:?}");
                refused += 1;
                continue;
            }
            Err(error) => panic!("{job:?} on {device:?}: {error}"),
        };
        planned += 1;
        for dispatch in &plan.dispatches {
            let what = format!("{dispatch:?} for {job:?} on {device:?}");
            let slots: HashSet<u32> = dispatch.bindings.iter().map(|binding| binding.slot).collect();
            assert_eq!(slots.len(), dispatch.bindings.len(), "{what}");
            for Binding { region, range, .. } in &dispatch.bindings {
                let end = match *region {
                    INPUT => job.input.buffer,
                    OUTPUT => job.output.buffer,
                    Region::Scratch => plan.scratch,
                    // Bound whole.
                    Region::Marks => plan.marks,
                    Region::Counted => plan.counted,
                    Region::States | Region::Buffer(_) => continue,
                };
                assert!(range.start < range.end && range.end <= end, "{what}");
                assert!(range.start.is_multiple_of(device.binding_alignment), "{what}");
                assert!(range.end - range.start <= device.max_binding.min(1 << 31), "{what}");
            }
            let [x, y] = dispatch.grid;
            assert!((1..=device.max_groups).contains(&x) && (1..=device.max_groups).contains(&y), "{what}");
            if kernel_of(dispatch).pass == Pass::Fold {
                assert!(params_of(dispatch).rows <= x * y, "{what}");
            } else {
                let tiles = u64::from(params_of(dispatch).tiles);
                let groups = u64::from(x) * u64::from(y);
                assert!(tiles <= groups && groups < tiles + u64::from(y), "{what}");
                assert_eq!(params_of(dispatch).grid_x, x, "{what}");
            }
        }

        // The dispatches that write the results, one for each piece.
        let writes = plan.dispatches.iter().filter(|dispatch| {
            let first = matches!(kernel_of(dispatch).pass, Pass::HillisSteele | Pass::Blelloch);
            let to_output = dispatch.bindings.iter().any(|binding| binding.region == OUTPUT);
            first && to_output || matches!(kernel_of(dispatch).pass, Pass::Scan | Pass::LookBack)
        });
        let (mut input, mut output) = (job.input.offset, job.output.offset);
        for dispatch in writes {
            let what = format!("{dispatch:?} for {job:?} on {device:?}");
            let tile = u64::from(kernel_of(dispatch).tile());
            let from = if job.same_buffer { slot::OUTPUT } else { slot::INPUT };
            let source = span(dispatch, from, params_of(dispatch).src_base);
            let target = span(dispatch, slot::OUTPUT, params_of(dispatch).dst_base);
            assert_eq!((source.start, target.start), (input, output), "{what}");
            let before = (input - job.input.offset) / ELEMENT;
            assert_eq!(u64::from(params_of(dispatch).first_tile) * tile, before, "{what}");
            assert_eq!(
                u64::from(params_of(dispatch).count).div_ceil(tile),
                u64::from(params_of(dispatch).tiles),
                "{what}"
            );
            (input, output) = (source.end, target.end);
        }
        assert_eq!(input - job.input.offset, job.len * ELEMENT, "{job:?} on {device:?}");
        assert_eq!(output - job.output.offset, job.len * ELEMENT, "{job:?} on {device:?}");
    }
    // Only single tiles, and ranges of one buffer too far apart, are refused here.
    assert!(planned > 4 * refused && refused > 0, "{planned} planned, {refused} refused");
}

/// With one row, it does not matter how far from it another would be.
#[test]
fn odd_lengths_are_moved_by_quads() {
    let plain = job(Algorithm::ThreePass, 700_001);
    let walk = Walk { outer: 700_001, ..Walk::PLAIN };
    let pitched = Job { source: walk, target: walk, ..plain.clone() };
    for job in [plain, pitched] {
        let plan = scan(&job, &Capabilities::usual()).expect("a plan");
        let by_quads = |dispatch: &Dispatch| {
            let kernel = kernel_of(dispatch);
            kernel.pass == Pass::Fold || kernel.access == Access::Quads
        };
        assert!(plan.dispatches.iter().all(by_quads), "{plan:?}");
    }
}

/// A kernel gets exactly the storage that it uses, or no driver would take it.
#[test]
fn plans_bind_what_kernels_use() {
    let mut seen = HashSet::new();
    for (job, device) in all_kinds() {
        for exclusive in [false, true] {
            let Ok(plan) = scan(&Job { exclusive, ..job.clone() }, &device) else { continue };
            for dispatch in plan.dispatches {
                let mut slots: Vec<u32> = dispatch.bindings.iter().map(|binding| binding.slot).collect();
                slots.sort_unstable();
                if seen.insert((dispatch.kernel, slots.clone())) {
                    let used = storage_bindings(&sum(), &dispatch.kernel);
                    assert_eq!(slots, used, "{:?}", dispatch.kernel);
                }
            }
        }
    }
    assert!(seen.len() > 50, "{} kernels", seen.len());
}

fn total_job(algorithm: Algorithm, len: u64) -> Job {
    Job { sink: Sink::Scatter, room: 1, regroups: true, total_only: true, ..job(algorithm, len) }
}

/// One tile needs nobody else; software drivers would have a kernel more to compile.
#[test]
fn totals_take_one_dispatch() {
    use Pass::*;
    let gpu = Capabilities::usual();
    let total = |len| total_job(Algorithm::Auto, len);
    assert_eq!(passes(&total(8192), &gpu), [Scan]);
    for len in [8193, 1 << 18, (1 << 24) + 1] {
        assert_eq!(passes(&total(len), &gpu), [Total]);
    }
    let three = Job { algorithm: Algorithm::ThreePass, ..total(1 << 20) };
    assert_eq!(passes(&three, &gpu), [Reduce, Fold, Scan]);
    let software = Capabilities { software: true, ..gpu.clone() };
    assert_eq!(passes(&total(1 << 20), &software), [Reduce, Fold, Scan]);
    assert_eq!(passes(&total_job(Algorithm::SinglePass, 1), &software), [Total]);
    let faulty = Capabilities { fault: Some(1), ..software };
    assert_eq!(passes(&total(1), &faulty), [FaultyTotal]);
}

#[test]
fn where_totals_take_several() {
    let gpu = Capabilities::usual();
    let one = total_job(Algorithm::SinglePass, 1 << 20);
    let three = |job: &Job| scan(&Job { algorithm: Algorithm::ThreePass, ..job.clone() }, &gpu);
    let wide = Layout::words(5);
    let ends = Place { offset: 0, buffer: 4 * ((1 << 20) + 1) };
    for job in [
        Job { types: [wide; 3], input: Place { offset: 0, buffer: 20 << 20 }, ..one.clone() },
        Job { len: (1 << 20) + 1, input: ends, ..one.clone() },
        Job { len: 1 << 26, input: Place { offset: 0, buffer: 4 << 26 }, ..one.clone() },
    ] {
        assert_eq!(scan(&job, &gpu), three(&job), "{job:?}");
    }
}

fn compaction_job(algorithm: Algorithm) -> Job {
    let count = Some(Place { offset: 512, buffer: 1 << 24 });
    Job { count, sink: Sink::Scatter, room: 300_000, regroups: true, keeps: true, ..job(algorithm, 300_000) }
}

/// Where quads are written out, lanes of a compaction hold the elements.
#[test]
fn lanes_hold_what_they_keep() {
    let gpu = Capabilities::usual();
    let software = Capabilities { software: true, ..Capabilities::usual() };
    for (algorithm, capabilities, wanted) in [
        (Algorithm::SinglePass, &gpu, Lifting::Kept),
        (Algorithm::ThreePass, &gpu, Lifting::Kept),
        (Algorithm::ThreePass, &software, Lifting::ByLevel),
    ] {
        let plan = scan(&compaction_job(algorithm), capabilities).expect("a plan");
        let kernel = kernel_of(plan.dispatches.last().expect("a dispatch"));
        assert_eq!(kernel.lifting, wanted, "{algorithm} {capabilities:?}");
    }
}

/// Plans of scans that read or write more than their input and output.
pub(crate) fn plans_with_hooks() -> Vec<(Operator, Plan)> {
    let place = Place { offset: 512, buffer: 1 << 24 };
    let len = 300_000;
    let plain = Job { regroups: true, ..job(Algorithm::ThreePass, len) };
    let words = Extra::Words { place, per_element: 1 };
    let segments = [u32::LAYOUT, kernel::segment_of::<u32>().expect("two words"), u32::LAYOUT];
    let wide =
        [<[u32; 3]>::LAYOUT, kernel::segment_of::<[u32; 3]>().expect("four words"), <[u32; 3]>::LAYOUT];
    let head = |text: &str| {
        let texts = [Monoid::<u32>::wgsl(&Sum), Map::<u32, u32>::wgsl(&Same), Map::<u32, u32>::wgsl(&Same)];
        Operator::segmented([u32::LAYOUT; 3], segments[1], texts, text.into())
    };
    let by_bits = head(include_str!("../../../shaders/hooks/head_bits.wgsl"));
    let mut scattered = by_bits.clone();
    scattered.scatter_segments();
    let mut by_keys = head(include_str!("../../../shaders/hooks/head_key_quads.wgsl"));
    by_keys.enter_quads();
    let exact = Operator::new::<f32, ExactSum, f32, _, _, _>(&Exact, &Exact, &Exact);
    let compensated = Operator::new::<f32, [f32; 2], f32, _, _, _>(&Compensated, &Compensated, &Compensated);
    let by_runs = Job {
        types: [f32::LAYOUT, <[f32; 2]>::LAYOUT, f32::LAYOUT],
        by_runs: true,
        ..job(Algorithm::SinglePass, len)
    };
    let offsets = |starts| Extra::Offsets { place, segments: 1000, starts };
    let minima = Operator::on_keys::<f32, f32, f32, _, _, _>(&Min, &Same, &Same).expect("floats have keys");
    let of_keys = [f32::LAYOUT, minima.element, f32::LAYOUT];
    let mut total = sum();
    total.replace_hooks(include_str!("../../../shaders/hooks/total.wgsl"));
    let compaction = Operator {
        hooks: vec![
            ("predicate", "fn keeps(value: In, i: u32) -> bool {\n    return value > i;\n}\n".into()),
            ("hooks", include_str!("../../../shaders/hooks/compact.wgsl").into()),
            ("sent", include_str!("../../../shaders/hooks/send_element.wgsl").into()),
        ],
        ..sum()
    };
    let jobs = [
        (compaction.clone(), compaction_job(Algorithm::SinglePass)),
        (compaction, compaction_job(Algorithm::ThreePass)),
        (sum(), Job { starts: Some(place), ..plain.clone() }),
        (minima, Job { starts: Some(place), types: of_keys, ..plain.clone() }),
        (sum(), Job { counted: Some(place), ..plain.clone() }),
        (
            head(include_str!("../../../shaders/hooks/head_flags.wgsl")),
            Job { extra: words, types: segments, ..plain.clone() },
        ),
        (by_keys, Job { extra: words, types: segments, ..job(Algorithm::SinglePass, len) }),
        (exact, Job { types: [f32::LAYOUT, ExactSum::LAYOUT, f32::LAYOUT], ..plain.clone() }),
        (compensated.clone(), by_runs.clone()),
        (compensated, Job { algorithm: Algorithm::ThreePass, exclusive: true, ..by_runs }),
        (by_bits, Job { extra: offsets(None), types: segments, ..plain.clone() }),
        (
            scattered,
            Job {
                extra: offsets(Some(place)),
                types: segments,
                sink: Sink::Scatter,
                room: 9,
                ..plain.clone()
            },
        ),
        (total.clone(), total_job(Algorithm::ThreePass, len)),
        (total.clone(), total_job(Algorithm::SinglePass, len)),
        (total, Job { rows: 9, sink: Sink::Scatter, room: 9, total_only: true, ..plain.clone() }),
        (
            Operator::segment_totals::<[u32; 3], [u32; 3], _, _>(&Sum, &Same),
            Job { extra: offsets(None), sink: Sink::Scatter, room: 999, types: wide, ..plain },
        ),
    ];
    let mut plans = Vec::new();
    for (operator, job) in jobs {
        for subgroups in [false, true] {
            let device = Capabilities { subgroups, ..Capabilities::usual() };
            let elsewhere = matches!(job.extra, Extra::Offsets { starts: Some(_), .. });
            let by_segment = job.sink == Sink::Scatter && !job.total_only && !job.keeps && !elsewhere;
            let plan = if by_segment { segment_totals(&job, &device) } else { scan(&job, &device) };
            plans.push((operator.clone(), plan.expect("a plan")));
        }
    }
    plans
}

/// The same for those.
#[test]
fn plans_bind_what_hooks_use() {
    for (operator, plan) in plans_with_hooks() {
        for dispatch in plan.dispatches {
            let mut slots: Vec<u32> = dispatch.bindings.iter().map(|binding| binding.slot).collect();
            slots.sort_unstable();
            assert_eq!(slots, storage_bindings(&operator, &dispatch.kernel), "{:?}", dispatch.kernel);
            // As many as every WebGPU device takes.
            assert!(slots.len() <= 8, "{:?}", dispatch.kernel);
        }
    }
}

#[test]
fn traces_bind_their_rounds() {
    for (algorithm, pass, rounds) in
        [(Algorithm::HillisSteele, Pass::HillisSteele, 4), (Algorithm::Blelloch, Pass::Blelloch, 8)]
    {
        let job = Job { trace: true, same_buffer: true, ..job(algorithm, 8) };
        let plan = scan(&job, &Capabilities::usual()).expect("a plan");
        let [dispatch] = &plan.dispatches[..] else { panic!("{plan:?}") };
        let slots: Vec<u32> = dispatch.bindings.iter().map(|binding| binding.slot).collect();
        assert_eq!(slots, [slot::OUTPUT, slot::TOTALS, slot::ROUNDS]);
        assert_eq!(storage_bindings(&sum(), &dispatch.kernel), slots);
        assert_eq!(super::rounds(pass, 8), rounds);
    }
}

#[test]
fn limits_are_named() {
    let small = Capabilities { max_binding: 1 << 10, ..Capabilities::usual() };
    let error = scan(&job(Algorithm::ThreePass, 1), &small).expect_err("no tile fits");
    assert!(matches!(error, Error::Unsupported { found: 1024, .. }), "{error:?}");
    let narrow = Capabilities { max_groups: 2, ..Capabilities::usual() };
    let error = scan(&job(Algorithm::HillisSteele, 4 * 256 * 256 + 1), &narrow).expect_err("5 groups");
    assert!(matches!(error, Error::TooLarge { expected: 4, found: 5, .. }), "{error:?}");
    let error = scan(&job(Algorithm::SingleTile, 8193), &Capabilities::usual()).expect_err("two tiles");
    assert!(matches!(error, Error::TooLarge { expected: 8192, found: 8193, .. }), "{error:?}");
}

/// More elements than 32 bits count are cut into pieces that they do.
#[test]
fn lengths_beyond_32_bits() {
    let large = Capabilities { max_binding: u64::MAX, ..Capabilities::usual() };
    let len = (1 << 33) + 5;
    for algorithm in [Algorithm::ThreePass, Algorithm::SinglePass] {
        let plan = scan(&job(algorithm, len), &large).expect("a plan");
        let last = matches!(algorithm, Algorithm::ThreePass);
        let pass = if last { Pass::Scan } else { Pass::LookBack };
        let pieces = plan.dispatches.iter().filter(|dispatch| kernel_of(dispatch).pass == pass);
        assert_eq!(pieces.map(|piece| u64::from(params_of(piece).count)).sum::<u64>(), len);
    }
}
