//! How the text of a scan's kernel is put together.

use super::{
    ENABLE_SUBGROUPS, Operator, Parts, Source, access,
    scan::{Access, Lanes, Lifting, MOST_AT_ONCE, Params, Pass, Rows, ScanKernel, Steps, Tiles},
    snippet, unroll, unroll_runs,
};
use crate::element::Element;

/// The whole text of `kernel` for `operator`.
pub(crate) fn assemble(operator: &Operator, kernel: &ScanKernel) -> Source {
    let plain;
    let operator = match kernel.maps {
        true => operator,
        false => {
            plain = operator.without_hooks();
            &plain
        }
    };
    let mut parts = Parts::default();
    let enable = if kernel.uses_subgroups() { ENABLE_SUBGROUPS } else { "" };
    parts.add("element", enable.to_string() + &access::types(operator, kernel.access, kernel.sink));
    parts.add(
        "element",
        match kernel.windows(operator) {
            Some(_) => "alias Leaving = Out;\nalias Written = vec4<Out>;\n",
            None => "alias Leaving = T;\nalias Written = Quad;\n",
        },
    );
    parts.add("engine", constants(kernel));
    parts.file(snippet!("rounded.wgsl"));
    if kernel.pass.combines() {
        let windows = kernel.windows(operator).map(|_| operator.with_sums());
        let hooks = windows.as_ref().unwrap_or(&operator.hooks);
        for (name, text) in operator.combine.iter().chain(hooks) {
            // The text for windows calls the operator's own functions: it is not a user's.
            parts.add(if windows.is_some() { "windows" } else { name }, &**text);
        }
        match kernel.starts {
            true => parts.add("start", access::start(operator)),
            false => parts.file(snippet!("start/identity.wgsl")),
        }
    }
    parts.add("params", Params::WGSL);
    match kernel.pass {
        Pass::ClearHeads => parts.file(snippet!("kernels/clear_heads.wgsl")),
        Pass::MarkHeads => parts.file(snippet!("kernels/mark_heads.wgsl")),
        Pass::MarkStarts => parts.file(snippet!("kernels/mark_starts.wgsl")),
        Pass::FillEmpty => {
            parts.add("access", access::scatter(operator));
            parts.file(snippet!("kernels/fill_empty.wgsl"));
        }
        Pass::Gaps => parts.file(snippet!("kernels/gaps.wgsl")),
        Pass::Arguments => parts.file(snippet!("kernels/arguments.wgsl")),
        Pass::CountAll | Pass::CountWhole => {
            let rounds_up = kernel.pass == Pass::CountAll;
            parts.add(
                "constants",
                format!("const TILE = {}u;\nconst ROUNDS_UP = {rounds_up};\n", kernel.tile()),
            );
            parts.file(snippet!("kernels/count_params.wgsl"));
        }
        Pass::Total | Pass::FaultyTotal => total_kernel(&mut parts, operator, kernel),
        Pass::Reduce | Pass::Scan | Pass::LookBack | Pass::FaultyLookBack => {
            tile_kernel(&mut parts, operator, kernel)
        }
        Pass::Grow => parts.file(snippet!("kernels/grow.wgsl")),
        Pass::Fold => {
            match kernel.tiles {
                Tiles::Workgroup => {
                    parts.file(snippet!("tiles/index.wgsl"));
                    match kernel.steps {
                        Steps::WrittenOut => {
                            parts.add("unrolled", unroll::block_total(kernel.tiles_per_block()));
                        }
                        Steps::Looped => {
                            parts.file(snippet!("tiles/counter.wgsl"));
                            parts.file(snippet!("tiles/looped_total.wgsl"));
                        }
                    }
                }
                Tiles::Scratch => {
                    parts.file(snippet!("tiles/scratch.wgsl"));
                    parts.file(snippet!("tiles/root.wgsl"));
                }
            }
            parts.file(snippet!("kernels/fold.wgsl"));
        }
        Pass::HillisSteele | Pass::Blelloch | Pass::UniformAdd => {
            textbook_kernel(&mut parts, operator, kernel)
        }
    }
    parts.source()
}

/// What depends on the kernel's shape alone.
fn constants(kernel: &ScanKernel) -> String {
    let row = match kernel.rows {
        Rows::Short(log2) => 1u32 << log2,
        Rows::One | Rows::Long => u32::MAX,
    };
    // Node counts of the tree over a tile's leaves, and of that over a block's tiles where it lies beside.
    let of_block = match kernel.tiles {
        Tiles::Workgroup => " + 2u * TILES_PER_BLOCK",
        Tiles::Scratch => "",
    };
    let nodes = match kernel.pass {
        Pass::Reduce | Pass::Scan | Pass::LookBack | Pass::FaultyLookBack => {
            format!("const NODES = 2u * LEAVES{of_block};\n")
        }
        // The tree over a share's leaves, or the totals of runs and what is gathered; and what is cut short: the quads
        // of a run, the tiles of a share.
        Pass::Total | Pass::FaultyTotal => format!("const NODES = 2u * LANES + QUADS + {MOST_AT_ONCE}u;\n"),
        _ => String::new(),
    };
    format!(
        "const LANES = {}u;\nconst EXCLUSIVE = {};\nconst ROW = {row}u;\nconst TILES_PER_BLOCK = {}u;\n{nodes}",
        kernel.width,
        kernel.exclusive,
        kernel.tiles_per_block(),
    )
}

fn tile_kernel(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    reduced_tiles(parts, operator, kernel);
    match kernel.tiles {
        Tiles::Workgroup => {
            parts.file(snippet!("tiles/index.wgsl"));
            parts.file(snippet!("tiles/workgroup.wgsl"));
        }
        Tiles::Scratch => parts.file(snippet!("tiles/scratch.wgsl")),
    }
    match kernel.pass {
        Pass::Reduce => parts.file(snippet!("kernels/reduce.wgsl")),
        Pass::Scan => {
            scanned_tiles(parts, operator, kernel);
            match kernel.tiles {
                Tiles::Workgroup => parts.file(snippet!("tiles/totals.wgsl")),
                Tiles::Scratch => parts.file(snippet!("tiles/trees.wgsl")),
            }
            parts.file(snippet!("kernels/scan.wgsl"));
        }
        _ => {
            scanned_tiles(parts, operator, kernel);
            if kernel.takes_in_parts() {
                parts.file(snippet!("tiles/taken_in_parts.wgsl"));
            } else {
                parts.file(snippet!("tiles/taken_as_leaves.wgsl"));
                match kernel.steps {
                    Steps::WrittenOut => parts.add("tiles", unroll::left_in_block(kernel.tiles_per_block())),
                    Steps::Looped => {
                        parts.file(snippet!("tiles/counter.wgsl"));
                        parts.file(snippet!("tiles/looped_left.wgsl"));
                    }
                }
            }
            told_to_others(parts, operator, kernel);
            parts.file(snippet!("again.wgsl"));
            parts.file(snippet!("rescue.wgsl"));
            parts.file(snippet!("kernels/single_pass.wgsl"));
        }
    }
}

fn total_kernel(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    reduced_tiles(parts, operator, kernel);
    parts.file(match kernel.lanes {
        Lanes::Subgroup => snippet!("lanes/shares_subgroup.wgsl"),
        Lanes::Workgroup => snippet!("lanes/shares_workgroup.wgsl"),
    });
    parts.file(snippet!("some.wgsl"));
    told_to_others(parts, operator, kernel);
    parts.file(snippet!("kernels/total.wgsl"));
}

/// How workgroups hand on totals.
fn told_to_others(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    parts.file(snippet!("states.wgsl"));
    parts.add("entries", access::entries(&operator.element));
    parts.file(match kernel.pass {
        Pass::FaultyLookBack | Pass::FaultyTotal => snippet!("faults/forced.wgsl"),
        _ => snippet!("faults/none.wgsl"),
    });
}

/// How a tile is loaded and reduced.
fn reduced_tiles(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    steps(parts, operator, kernel);
    parts.file(snippet!("quad.wgsl"));
    parts.file(snippet!("tree.wgsl"));
    reach_elements(parts, operator, kernel);
    let by_runs = kernel.lifting == Lifting::Runs;
    match kernel.lanes {
        Lanes::Subgroup => {
            parts.file(snippet!("lanes/subgroup.wgsl"));
            parts.file(match by_runs {
                true => snippet!("lanes/runs_subgroup.wgsl"),
                false => snippet!("lanes/steps_subgroup.wgsl"),
            });
            parts.file(match cfg!(target_arch = "wasm32") {
                true => snippet!("width/proven.wgsl"),
                false => snippet!("width/plain.wgsl"),
            });
        }
        Lanes::Workgroup => {
            parts.file(snippet!("lanes/workgroup.wgsl"));
            parts.file(match by_runs {
                true => snippet!("lanes/runs_workgroup.wgsl"),
                false => snippet!("lanes/steps_workgroup.wgsl"),
            });
        }
    }
}

/// What is done to the quads of a lane.
fn steps(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    let quads = kernel.per_lane;
    parts.add("constants", format!("const QUADS = {quads}u;\nconst TILE = 4u * QUADS * LANES;\n"));
    if kernel.lifting == Lifting::Kept {
        parts.add("unrolled", unroll::kept_words(4 * quads, kernel.lanes));
        return;
    }
    if kernel.lanes == Lanes::Subgroup {
        parts.add("shuffle", access::shuffle(&operator.element));
    }
    if kernel.lifting == Lifting::Runs {
        before_runs(parts, kernel);
        match kernel.steps {
            Steps::WrittenOut => {
                parts.add("unrolled", unroll_runs::held_runs(quads, kernel.exchanges(&operator.input)));
                match kernel.windows(operator) {
                    Some(text) => {
                        parts.add("windows", text);
                        parts.file(snippet!("lifting/windows.wgsl"));
                        parts.add("unrolled", unroll_runs::window_quads(quads));
                    }
                    None => parts.add("unrolled", unroll_runs::run_totals(quads)),
                }
            }
            Steps::Looped => parts.file(snippet!("steps/looped_runs.wgsl")),
        }
        return;
    }
    match kernel.steps {
        Steps::WrittenOut => {
            parts.add("unrolled", unroll::quads(quads));
            if kernel.lanes == Lanes::Subgroup {
                parts.add("unrolled", unroll::subgroup_steps(quads));
                parts.file(snippet!("steps/written_out_subgroup.wgsl"));
            }
        }
        Steps::Looped => {
            parts.file(snippet!("steps/looped.wgsl"));
            if kernel.lanes == Lanes::Subgroup {
                parts.file(snippet!("steps/looped_subgroup.wgsl"));
            }
        }
    }
}

/// How what precedes a run is combined before anything is lifted by it.
fn before_runs(parts: &mut Parts, kernel: &ScanKernel) {
    parts.file(snippet!("lifting/left.wgsl"));
    parts.file(match kernel.lanes {
        Lanes::Subgroup => snippet!("lifting/before_run_subgroup.wgsl"),
        Lanes::Workgroup => snippet!("lifting/before_run_workgroup.wgsl"),
    });
}

/// How a tile is scanned and lifted.
fn scanned_tiles(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    let (quads, lanes, lifting) = (kernel.per_lane, kernel.lanes, kernel.lifting);
    let short = matches!(kernel.rows, Rows::Short(_));
    if lifting == Lifting::Runs {
        parts.file(snippet!("lifting/runs.wgsl"));
        match kernel.steps {
            Steps::WrittenOut => {
                let by_windows = kernel.windows(operator).is_some();
                if by_windows {
                    parts.add("unrolled", unroll_runs::window_results(quads));
                }
                let exchanges = kernel.exchanges_results(&operator.output);
                parts.add("unrolled", unroll_runs::finished_runs(quads, exchanges, by_windows));
            }
            Steps::Looped => parts.file(snippet!("steps/looped_finished_runs.wgsl")),
        }
        return;
    }
    if !kernel.takes_in_parts() {
        parts.file(snippet!("block.wgsl"));
    }
    if lifting == Lifting::Kept {
        parts.file(snippet!("lifting/kept.wgsl"));
        parts.file(match lanes {
            Lanes::Subgroup => snippet!("lifting/kept_subgroup.wgsl"),
            Lanes::Workgroup => snippet!("lifting/kept_workgroup.wgsl"),
        });
        return;
    }
    parts.file(snippet!("lifting/stored.wgsl"));
    if lifting == Lifting::Once {
        before_runs(parts, kernel);
    }
    parts.file(match lifting {
        Lifting::Once => snippet!("lifting/once.wgsl"),
        _ => snippet!("lifting/by_level.wgsl"),
    });
    parts.file(match (lifting, lanes) {
        (Lifting::ByLevel, Lanes::Subgroup) => snippet!("lifting/by_level_subgroup.wgsl"),
        (Lifting::ByLevel, Lanes::Workgroup) => snippet!("lifting/by_level_workgroup.wgsl"),
        (_, Lanes::Subgroup) => snippet!("lifting/once_subgroup.wgsl"),
        (_, Lanes::Workgroup) => snippet!("lifting/once_workgroup.wgsl"),
    });
    match kernel.steps {
        Steps::WrittenOut => {
            let write = match kernel.writes_pairs(&operator.output) {
                true => "write_quad_of_pair",
                false => "write_quad",
            };
            parts.add("unrolled", unroll::scans(quads, lanes, lifting, write, short));
        }
        Steps::Looped => {
            parts.file(snippet!("steps/looped_scan.wgsl"));
            parts.file(match lifting {
                Lifting::Once => snippet!("steps/looped_once.wgsl"),
                _ => snippet!("steps/looped_by_level.wgsl"),
            });
            parts.file(match (lifting, lanes) {
                (Lifting::ByLevel, Lanes::Subgroup) => snippet!("steps/looped_by_level_subgroup.wgsl"),
                (Lifting::ByLevel, Lanes::Workgroup) => snippet!("steps/looped_by_level_workgroup.wgsl"),
                (_, Lanes::Subgroup) => snippet!("steps/looped_once_subgroup.wgsl"),
                (_, Lanes::Workgroup) => snippet!("steps/looped_once_workgroup.wgsl"),
            });
        }
    }
}

fn textbook_kernel(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    parts.add("constants", format!("const TILE = {}u;\n", kernel.tile()));
    parts.add("totals", access::totals(&operator.element));
    reach_elements(parts, operator, kernel);
    match kernel.trace {
        true => parts.file(snippet!("trace/on.wgsl")),
        false => parts.file(snippet!("trace/off.wgsl")),
    }
    parts.file(match kernel.pass {
        Pass::HillisSteele => snippet!("kernels/hillis_steele.wgsl"),
        Pass::Blelloch => snippet!("kernels/blelloch.wgsl"),
        _ => snippet!("kernels/uniform_add.wgsl"),
    });
}

/// How elements come from the input and go to the output.
fn reach_elements(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    parts.file(match kernel.in_place {
        true if access::shares_words(operator, kernel.access) => snippet!("source/in_place_shared.wgsl"),
        true => snippet!("source/in_place.wgsl"),
        false => snippet!("source/separate.wgsl"),
    });
    if operator.output == half::f16::LAYOUT {
        parts.file(snippet!("access/half.wgsl"));
    }
    match kernel.access {
        Access::Quads => {
            parts.add("access", access::quads(operator, kernel.sink));
            if kernel.writes_pairs(&operator.output) {
                parts.add("access", access::write_quads_of_pairs(&operator.output));
            }
            if kernel.lifting == Lifting::Kept {
                parts.add("access", access::kept_words(operator));
            }
            let exchanges = [kernel.exchanges(&operator.input), kernel.exchanges_results(&operator.output)];
            if exchanges[0] {
                parts.add("access", access::input_cells(&operator.input));
            }
            if exchanges[1] {
                parts.add("access", access::result_cells(&operator.output));
            }
            if exchanges.contains(&true) {
                parts.file(snippet!("lanes/exchange.wgsl"));
            }
            parts.file(snippet!("access/quads.wgsl"));
        }
        Access::Elements => {
            parts.add("access", access::elements(operator, kernel.sink));
            parts.file(snippet!("access/elements.wgsl"));
        }
    }
    parts.file(snippet!("access/entered.wgsl"));
    if !operator.enters_quads() {
        parts.file(snippet!("access/entered_one_by_one.wgsl"));
    }
    parts.file(match kernel.rows {
        Rows::One => snippet!("rows/one.wgsl"),
        Rows::Long => snippet!("rows/long.wgsl"),
        Rows::Short(_) => snippet!("rows/short.wgsl"),
    });
}
