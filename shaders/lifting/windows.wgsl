// Runs of an operator that has windows, which hold less than what is combined, for as long as that will do. The number of a
// lane's quads is in `loudest_of_run`, `push_run`, `quad_of_run` and `results_of_run`, which are written out.

/// The run's total.
fn fold_run(run: Quads) -> T {
    let window = push_run(open_window(Left(false, T()), loudest_of_run(run)), run);
    if !window.failed && !window.unsure {
        return close_window(window);
    }
    var left = Left(false, T());
    for (var q = 0u; q < QUADS; q = q + 1u) {
        left = total_in_full(quad_of_run(run, q), left);
    }
    return left.value;
}

/// Whether what was left out changes no rounding of a run's results, if `before` is the window that it begins with.
fn is_sure(run: Quads, before: Window) -> bool {
    var window = before;
    var sure = is_sum_sure(window);
    for (var i = 0u; i < 4u * QUADS && sure; i = i + 1u) {
        window = push_float(window, float_of(quad_of_run(run, i / 4u), i % 4u));
        sure = is_sum_sure(window);
    }
    return sure;
}
