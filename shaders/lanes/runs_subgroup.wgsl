// Each lane owns a run of neighbouring quads, of which there is one value. Index bits of an element, lowest first: place in
// the run, lane, subgroup.

/// The total of the lane's run and those before it in its subgroup, or in its row.
var<private> end_of_run: T;

fn first_quad(lane: Lane) -> u32 {
    return (lane.subgroup * lane.width + lane.rank) * QUADS;
}

fn stride(lane: Lane) -> u32 {
    return 1u;
}

/// The tile's total, where a row has it for itself.
fn reduce_tile(tile: Quads, lane: Lane) -> T {
    let width = subgroup_width(lane);
    end_of_run = fold_run(tile);
    for (var half = 1u; half < width && 4u * QUADS * half < ROW; half = half << 1u) {
        let left = shuffle(end_of_run, (lane.rank & ~(2u * half - 1u)) | (half - 1u));
        if (lane.rank & half) != 0u {
            end_of_run = combine(left, end_of_run);
        }
    }
    let tree = subgroups(width);
    if lane.rank == width - 1u {
        nodes[node(tree, 0u, lane.subgroup)] = end_of_run;
    }
    grow(tree, lane.index);
    return root(tree);
}

/// What precedes the lane's run in the tile, as far as it is of the same row.
fn before_run(lane: Lane) -> Left {
    let previous_lane = select(lane.rank, lane.width, lane.rank == 0u) - 1u;
    let within = min(ROW / 4u, QUADS * lane.width) - 1u;
    let before = Left((first_quad(lane) & within) != 0u, shuffle(end_of_run, previous_lane));
    return preceded_by_runs(before, lane);
}
