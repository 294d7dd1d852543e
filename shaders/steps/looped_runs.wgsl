// A lane's run in an array that loops go over.
struct Quads {
    /// The first of the run.
    first: u32,
    q: array<Inputs, QUADS>,
}

/// QUADS; but no compiler knows, and writes the loops out.
fn steps() -> u32 {
    return QUADS + params.zero;
}

fn load_whole(first: u32, stride: u32) -> Quads {
    var run: Quads;
    run.first = first;
    for (var q = 0u; q < steps(); q = q + 1u) {
        run.q[q] = input_quad(first + q);
    }
    return run;
}

fn load_ragged(first: u32, stride: u32, count: u32) -> Quads {
    var run: Quads;
    run.first = first;
    for (var q = 0u; q < steps(); q = q + 1u) {
        run.q[q] = input_in_row(first + q, count);
    }
    return run;
}

/// The run's total, by the levels of the canonical tree.
fn fold_run(held: Quads) -> T {
    var run = held;
    var totals: array<T, QUADS>;
    for (var q = 0u; q < steps(); q = q + 1u) {
        totals[q] = total_of_quad(enter_quad(run.q[q], quad_in_row(run.first + q)));
    }
    for (var half = 1u; half < steps(); half = half << 1u) {
        for (var q = 0u; q < steps(); q = q + 2u * half) {
            totals[q] = combine(totals[q], totals[q + half]);
        }
    }
    return totals[0];
}
