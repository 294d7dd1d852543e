fn shuffle_each(values: Each, lane: u32) -> Each {
    var each = values;
    for (var q = 0u; q < steps(); q = q + 1u) {
        each.q[q] = shuffle(each.q[q], lane);
    }
    return each;
}

/// The tree's levels between steps of one subgroup.
fn scan_steps(tile: Quads, last_lane: u32) -> Quads {
    var quads = tile;
    for (var half = 1u; half < steps() && 4u * (last_lane + 1u) * half < ROW; half = half << 1u) {
        for (var q = half; q < steps(); q = q + 1u) {
            if (q & half) != 0u {
                // The left sibling's last step ends in its total.
                let left = shuffle(quads.q[(q & ~(2u * half - 1u)) + half - 1u].w, last_lane);
                quads.q[q] = lift(left, quads.q[q]);
            }
        }
    }
    return quads;
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
