fn shuffle_each(values: Each, lane: u32) -> Each {
    var each = values;
    for (var q = 0u; q < steps(); q = q + 1u) {
        each.q[q] = shuffle(each.q[q], lane);
    }
    return each;
}

/// The total of a subgroup's run, right in its first lane: after each round, a lane whose rank is a multiple of
/// 2·half holds the total of as many.
fn reduce_run(tile: Quads, width: u32, lane: Lane) -> T {
    var totals = total_of_each(tile);
    for (var q = 0u; q < steps(); q = q + 1u) {
        for (var half = 1u; half < width; half = half << 1u) {
            totals.q[q] = combine(totals.q[q], shuffle(totals.q[q], lane.rank ^ half));
        }
    }
    return reduce_steps(totals);
}
