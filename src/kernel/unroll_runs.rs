//! Shader text that is the same statement for each quad of a run: see `unroll`.

use super::unroll::{Functions, each, tree};

/// The quads of a lane that holds a run of elements as they came, loaded; lanes may `exchange` them with their neighbours.
pub(crate) fn held_runs(count: u32, exchange: bool) -> String {
    let mut functions = Functions::new(count);
    let fields = each(count, ", ", |q| format!("q{q}: Inputs"));
    functions.add(&format!("/// A lane's run, and its first quad.\nstruct Quads {{ first: u32, {fields} }}"));
    let mut load = |signature: &str, quad: &dyn Fn(u32) -> String| {
        let quads = each(count, ", ", quad);
        functions.add(&format!("fn {signature} -> Quads {{\n    return Quads(first, {quads});\n}}"));
    };
    if !exchange {
        load("load_whole(first: u32, stride: u32)", &|q| format!("input_quad(first + {q}u)"));
    }
    load("load_ragged(first: u32, stride: u32, count: u32)", &|q| {
        format!("input_in_row(first + {q}u, count)")
    });
    if exchange {
        // Square after square.
        let squares = each(count / 4, "\n    ", |square| {
            let cells = each(4, ", ", |run| format!("input_cell(at + {}u)", run * count + 4 * square));
            format!("let square_{square} = exchange(Cells({cells}), lane_of_four(first));")
        });
        let quads = each(count, ", ", |q| format!("inputs_of(square_{}.c{})", q / 4, q % 4));
        functions.add(&format!(
            "fn load_whole(first: u32, stride: u32) -> Quads {{\n    let at = first_to_move(first);\n    \
             {squares}\n    return Quads(first, {quads});\n}}"
        ));
    }
    functions.text
}

/// The total of a run.
pub(crate) fn run_totals(count: u32) -> String {
    let totals: Vec<String> = (0..count).map(|q| format!("total_of_quad({})", entered(q))).collect();
    format!(
        "/// By the levels of the canonical tree.\nfn fold_run(run: Quads) -> T {{\n    return {};\n}}\n",
        tree(&totals)
    )
}

/// How a run is gone through once it is known what precedes it, and where its results go. By `windows`, there is a
/// function for all of it.
pub(crate) fn finished_runs(count: u32, exchange: bool, windows: bool) -> String {
    let mut functions = Functions::new(count);
    let begin = if windows { "let results = results_of_run(run, before);\n    " } else { "" };
    let step = |q: u32| match (windows, q) {
        (true, _) => (String::new(), format!("results.q{q}")),
        (false, _) => {
            let left = if q == 0 { "before".into() } else { format!("step_{}.left", q - 1) };
            let step = format!("let step_{q} = step_over({left}, {});\n    ", entered(q));
            (step, format!("step_{q}.quad"))
        }
    };
    let through = |then: &dyn Fn(u32, &str) -> String| {
        let quads = each(count, "\n    ", |q| {
            let (step, results) = step(q);
            step + &then(q, &results)
        });
        begin.to_string() + &quads
    };
    let finish = match exchange {
        false => through(&|q, results| format!("write_ragged(run.first + {q}u, {results}, params.count);")),
        true => {
            let cells = through(&|q, results| {
                format!("let cell_{q} = result_cell({results}, quad_in_row(run.first + {q}u));")
            });
            let squares = each(count / 4, "\n        ", |square| {
                let cells = each(4, ", ", |q| format!("cell_{}", 4 * square + q));
                let stores = each(4, " ", |run| {
                    format!("store_cell(at + {}u, square_{square}.c{run});", run * count + 4 * square)
                });
                format!(
                    "let square_{square} = exchange(Cells({cells}), lane_of_four(run.first));\n        {stores}"
                )
            });
            let parts = each(count, "\n        ", |q| {
                format!("store_ragged(run.first + {q}u, cell_{q}, params.count);")
            });
            format!(
                "{cells}\n    if whole {{\n        let at = first_to_move(run.first);\n        {squares}\n    }} else {{\n        \
                 {parts}\n    }}"
            )
        }
    };
    functions.add(&format!("fn finish_run(run: Quads, before: Left, whole: bool) {{\n    {finish}\n}}"));
    functions.text
}

/// What is done to each quad of a run by an operator that has windows for runs (`shaders/lifting/windows.wgsl`).
pub(crate) fn window_quads(count: u32) -> String {
    let mut functions = Functions::new(count);
    let loudest =
        (1..count).fold("loudest(run.q0)".into(), |all, q| format!("max({all}, loudest(run.q{q}))"));
    functions.add(&format!("fn loudest_of_run(run: Quads) -> u32 {{\n    return {loudest};\n}}"));
    let all = (0..count).fold("window".into(), |window, q| format!("push_quad({window}, run.q{q})"));
    functions.add(&format!("fn push_run(window: Window, run: Quads) -> Window {{\n    return {all};\n}}"));
    let others = each(count - 1, "", |q| {
        let q = q + 1;
        format!("    if i == {q}u {{\n        quad = run.q{q};\n    }}\n")
    });
    functions.add(&format!(
        "fn quad_of_run(run: Quads, i: u32) -> Inputs {{\n    var quad = run.q0;\n{others}    return quad;\n}}"
    ));
    functions.text
}

/// The results of a run by such an operator.
pub(crate) fn window_results(count: u32) -> String {
    let mut functions = Functions::new(count);
    let fields = each(count, ", ", |q| format!("q{q}: Written"));
    functions.add(&format!("struct Results {{ {fields} }}"));
    let steps = each(count, "\n    ", |q| {
        let window = if q == 0 { "window".into() } else { format!("sums_{}.window", q - 1) };
        format!("let sums_{q} = sum_quad({window}, run.q{q});")
    });
    let sums = each(count, ", ", |q| format!("sums_{q}.quad"));
    let in_full = each(count, "\n            ", |q| {
        format!("if q == {q}u {{\n                results.q{q} = sums.quad;\n            }}")
    });
    functions.add(&format!(
        "fn results_of_run(run: Quads, before: Left) -> Results {{\n    \
         let window = open_window(before, loudest_of_run(run));\n    {steps}\n    \
         var results = Results({sums});\n    let last = sums_{last}.window;\n    \
         if last.failed || (last.unsure && !is_sure(run, window)) {{\n        var left = before;\n        \
         for (var q = 0u; q < QUADS; q = q + 1u) {{\n            \
         let sums = sum_in_full(quad_of_run(run, q), left);\n            \
         {in_full}\n            left = sums.left;\n        }}\n    }}\n    return results;\n}}",
        last = count - 1,
    ));
    functions.text
}

/// Quad `q` of a run as it is combined.
fn entered(q: u32) -> String {
    format!("enter_quad(run.q{q}, quad_in_row(run.first + {q}u))")
}
