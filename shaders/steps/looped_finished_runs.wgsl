// How a run is gone through once it is known what precedes it.
fn finish_run(held: Quads, before: Left, whole: bool) {
    var run = held;
    var left = before;
    for (var q = 0u; q < steps(); q = q + 1u) {
        let step = step_over(left, enter_quad(run.q[q], quad_in_row(run.first + q)));
        write_ragged(run.first + q, step.quad, params.count);
        left = step.left;
    }
}
