//! Tests of the kernels of scans.

use super::*;
#[cfg(any(target_arch = "wasm32", feature = "cuda"))]
use crate::plan::scan::tests::plans_with_hooks;
use crate::{
    element::{Element, Layout},
    kernel::{
        Kernel, access,
        scan_text::assemble,
        tests::{validated, workgroup_memory},
    },
    map::{Double, Map, Same, Widen},
    monoid::{Min, Sum},
    tuning::{self, Capabilities},
};

fn sum<T: crate::element::Number>() -> Operator {
    Operator::plain::<T, _>(&Sum)
}

/// Words of which only their number is known, for elements of any width.
fn wide<const N: u32>() -> Operator {
    let layout = Layout::words(N);
    Operator {
        input: layout,
        element: layout,
        output: layout,
        combine: vec![(
            "operator",
            "fn identity() -> T { return T(); }\nfn combine(l: T, r: T) -> T { var s = l; s.w0 = r.w0; \
                 return s; }"
                .into(),
        )],
        hooks: vec![("hooks", include_str!("../../shaders/hooks/none.wgsl").into())],
        keys_of: None,
        windows: None,
        cuda: None,
    }
}

fn mapped<A: Element, T: Element, B: Element>(map: impl Map<A, T>) -> Operator
where
    Sum: crate::monoid::Monoid<T>,
    Same: Map<T, B>,
{
    Operator::new::<A, T, B, _, _, _>(&Sum, &map, &Same)
}

/// Minima, of floats as keys.
fn minima() -> Operator {
    Operator::on_keys::<f32, f32, f32, _, _, _>(&Min, &Same, &Same).expect("floats have keys")
}

const SUMS: [fn() -> Operator; 3] = [sum::<u32>, sum::<i32>, sum::<f32>];

/// Operators of every width that is planned for, and of every input.
const OTHERS: [fn() -> Operator; 15] = [
    minima,
    sum::<u64>,
    sum::<[f32; 3]>,
    sum::<[u32; 4]>,
    wide::<5>,
    wide::<8>,
    wide::<9>,
    wide::<11>,
    wide::<16>,
    || mapped::<u8, u32, u32>(Widen),
    || mapped::<i8, i32, i32>(Widen),
    || mapped::<u16, u32, u32>(Widen),
    || mapped::<i16, i32, i32>(Widen),
    || mapped::<half::f16, f32, f32>(Widen),
    || mapped::<u32, u64, u64>(Double),
];

fn device(subgroups: bool) -> Capabilities {
    Capabilities { subgroups, ..Capabilities::usual() }
}

/// Every kernel that can be asked for with elements of `words` words, and some that are not.
fn every_kernel(words: u32) -> Vec<ScanKernel> {
    use Pass::*;
    let flags = [false, true];
    let mut kernels = Vec::new();
    for pass in [Reduce, Grow, Fold, Scan, LookBack, HillisSteele, Blelloch, UniformAdd] {
        let textbook = matches!(pass, HillisSteele | Blelloch | UniformAdd);
        if words > 4 && (textbook || pass == LookBack) {
            continue;
        }
        for (subgroups, software, len) in
            [(true, false, 1), (true, false, 1 << 28), (false, false, 1), (true, true, 1), (false, true, 1)]
        {
            let device = Capabilities { software, ..device(subgroups) };
            let policy = tuning::tiles(&device, words, len);
            if pass == LookBack && words > 1 && !subgroups {
                continue;
            }
            for access in [Access::Quads, Access::Elements] {
                let all_rows = match textbook || pass == LookBack {
                    true => &[Rows::One][..],
                    false => &[Rows::One, Rows::Long, Rows::Short(2), Rows::Short(9)],
                };
                for &rows in all_rows {
                    for in_place in flags {
                        for exclusive in flags {
                            for extra in flags {
                                let by_level = ScanKernel {
                                    pass,
                                    lanes: policy.lanes,
                                    width: if textbook { LANES } else { policy.width },
                                    per_lane: if textbook { 1 + u32::from(extra) } else { policy.quads },
                                    access: if textbook { Access::Elements } else { access },
                                    tiles: policy.tiles,
                                    steps: tuning::steps(&device, true),
                                    lifting: Lifting::ByLevel,
                                    rows,
                                    sink: Sink::InOrder,
                                    in_place: in_place || pass == UniformAdd,
                                    exclusive,
                                    starts: extra && matches!(pass, Fold | Scan),
                                    maps: pass != UniformAdd && pass != Fold && pass != Grow,
                                    trace: extra && matches!(pass, HillisSteele | Blelloch),
                                };
                                kernels.push(by_level);
                                if matches!(pass, Scan | LookBack) {
                                    kernels.push(ScanKernel { lifting: Lifting::Once, ..by_level });
                                }
                                if matches!(pass, Reduce | Scan | LookBack) {
                                    let policy = tuning::run_tiles(&device, words, words <= 4);
                                    kernels.push(ScanKernel {
                                        lifting: Lifting::Runs,
                                        width: policy.width,
                                        per_lane: if rows == Rows::Short(2) { 1 } else { policy.quads },
                                        ..by_level
                                    });
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    kernels
}

/// Every kernel of totals in one dispatch, with the hook that these have.
fn every_total(operator: &Operator) -> Vec<(Operator, ScanKernel)> {
    let mut operator = operator.clone();
    operator.replace_hooks(include_str!("../../shaders/hooks/total.wgsl"));
    let mut kernels = Vec::new();
    for pass in [Pass::Total, Pass::FaultyTotal] {
        for (subgroups, software, len) in
            [(true, false, 1), (true, false, 1 << 28), (false, false, 1), (true, true, 1), (false, true, 1)]
        {
            let device = Capabilities { software, ..device(subgroups) };
            let policy = tuning::tiles(&device, operator.element.word_count(), len);
            if policy.tiles == Tiles::Scratch {
                continue;
            }
            for access in [Access::Quads, Access::Elements] {
                let kernel = ScanKernel {
                    lanes: policy.lanes,
                    width: policy.width,
                    per_lane: policy.quads,
                    access,
                    steps: tuning::steps(&device, true),
                    sink: Sink::Scatter,
                    maps: true,
                    ..ScanKernel::plain(pass)
                };
                kernels.push((operator.clone(), kernel));
            }
        }
    }
    kernels
}

/// The kernels of words, those of wider elements that rows do not change, and those of plans with hooks.
#[cfg(any(target_arch = "wasm32", feature = "cuda"))]
pub(crate) fn every_kernel_with_its_operator() -> Vec<(Operator, ScanKernel)> {
    let of_words = [SUMS[0], SUMS[2]]
        .into_iter()
        .flat_map(|operator| every_kernel(1).into_iter().map(move |kernel| (operator(), kernel)));
    let of_others = OTHERS.into_iter().flat_map(|operator| {
        let operator = operator();
        let kernels = every_kernel(operator.element.word_count()).into_iter();
        let planned = kernels.filter(|kernel| !kernel.in_place && kernel.rows == Rows::One);
        planned.map(|kernel| (operator.clone(), kernel)).collect::<Vec<_>>()
    });
    let with_hooks = plans_with_hooks().into_iter().flat_map(|(operator, plan)| {
        let kernels = plan.dispatches.into_iter().filter_map(|dispatch| match dispatch.kernel {
            Kernel::Scan(kernel) => Some(kernel),
            _ => None,
        });
        kernels.map(move |kernel| (operator.clone(), kernel)).collect::<Vec<_>>()
    });
    let totals = SUMS.into_iter().chain(OTHERS).flat_map(|operator| every_total(&operator()));
    of_words.chain(of_others).chain(with_hooks).chain(totals).collect()
}

fn check(operator: &Operator, kernel: ScanKernel) -> naga::Module {
    let (module, _) = validated(operator, &Kernel::Scan(kernel));
    let [entry] = &module.entry_points[..] else { panic!("{kernel:?}: one entry point") };
    assert_eq!(entry.name, kernel.pass.name());
    assert_eq!(entry.workgroup_size, [kernel.width, 1, 1]);
    // wgpu does not check this one: a driver would have to.
    let bytes = workgroup_memory(&module);
    assert!(bytes <= 16 << 10, "{kernel:?} takes {bytes} bytes");
    module
}

#[test]
fn every_kernel_of_words_is_valid() {
    for kernel in every_kernel(1) {
        for operator in SUMS {
            check(&operator(), kernel);
        }
    }
}

#[test]
fn every_kernel_of_other_elements_is_valid() {
    for operator in OTHERS {
        let operator = operator();
        let cell = |layout| access::cell_bytes(layout, Access::Quads);
        let alike = cell(&operator.input) == cell(&operator.output);
        for kernel in every_kernel(operator.element.word_count()) {
            // One binding has cells of one type.
            let planned = alike || !kernel.in_place || kernel.access == Access::Elements;
            // How rows are reached does not depend on the element.
            if planned && (kernel.rows == Rows::One || operator.element == u64::LAYOUT) {
                check(&operator, kernel);
            }
        }
    }
}

#[test]
fn every_total_is_valid() {
    let operators = SUMS.into_iter().chain(OTHERS).map(|operator| operator());
    let kernels: Vec<_> = operators.flat_map(|operator| every_total(&operator)).collect();
    assert!(kernels.len() > 100, "{} kernels", kernels.len());
    for (operator, kernel) in kernels {
        check(&operator, kernel);
    }
}

#[test]
fn texts_differ_where_kernels_do() {
    let plain = ScanKernel {
        lanes: Lanes::Subgroup,
        per_lane: 8,
        access: Access::Quads,
        maps: true,
        ..ScanKernel::plain(Pass::Scan)
    };
    let text = |kernel| assemble(&SUMS[0](), &kernel).text;
    for other in [
        ScanKernel { pass: Pass::Reduce, ..plain },
        ScanKernel { lanes: Lanes::Workgroup, ..plain },
        ScanKernel { width: 128, ..plain },
        ScanKernel { per_lane: 4, ..plain },
        ScanKernel { access: Access::Elements, ..plain },
        ScanKernel { tiles: Tiles::Scratch, ..plain },
        ScanKernel { steps: Steps::Looped, ..plain },
        ScanKernel { lifting: Lifting::Once, ..plain },
        ScanKernel { lifting: Lifting::Runs, ..plain },
        ScanKernel { rows: Rows::Long, ..plain },
        ScanKernel { rows: Rows::Short(4), ..plain },
        ScanKernel { in_place: true, ..plain },
        ScanKernel { exclusive: true, ..plain },
        ScanKernel { starts: true, ..plain },
        ScanKernel { maps: false, ..plain },
    ] {
        assert_ne!(text(plain), text(other), "{other:?}");
    }
    assert_ne!(text(plain), assemble(&SUMS[2](), &plain).text);
}

/// An operator's own text is found again by its line.
#[test]
fn an_operators_lines_are_its_own() {
    let mut operator = SUMS[0]();
    operator.combine[0].1 = "// one\n// two\nfault here\n".into();
    for kernel in every_kernel(1) {
        let source = assemble(&operator, &kernel);
        let line = source.text.lines().position(|line| line == "fault here").expect("the text is in it");
        assert_eq!(source.locate(line + 1), "operator:3", "{kernel:?}");
    }
}

/// What Rust writes is what kernels read.
#[test]
fn parameters_lie_where_kernels_look_for_them() {
    let module = naga::front::wgsl::parse_str(Params::WGSL).expect("a struct");
    let (_, params) = module.types.iter().find(|(_, t)| t.name.is_some()).expect("a struct");
    let naga::TypeInner::Struct { members, span } = &params.inner else { panic!("{params:?}") };
    assert_eq!(*span as usize, size_of::<Params>());
    for (i, member) in members.iter().enumerate() {
        assert_eq!(member.offset as usize, 4 * i);
    }
    let params = Params { count: 1, dst_base: 2, tiles: 3, ..Params::default() };
    let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&params));
    for (name, value) in [("count", 1), ("dst_base", 2), ("tiles", 3)] {
        let place = members.iter().position(|member| member.name.as_deref() == Some(name));
        assert_eq!(words[place.expect("a member of that name")], value, "{name}");
    }
}
