/// The total of a subgroup's run, right in its first lane.
fn reduce_run(tile: Quads, width: u32, lane: Lane) -> T {
    var totals = total_of_each(tile);
    if width >= QUADS {
        return fold_steps(totals, width, lane);
    }
    // Each round is right in the lanes whose rank is a multiple of 2·half; lane 0 needs no others.
    for (var half = 1u; half < width; half = half << 1u) {
        totals = combine_each(totals, shuffle_each(totals, lane.rank ^ half));
    }
    return reduce_steps(totals);
}
