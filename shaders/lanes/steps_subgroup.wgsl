// A subgroup walks through its run in steps of one quad a lane. Index bits of an element, lowest first: place in the
// quad, lane, step, subgroup.
fn first_quad(lane: Lane) -> u32 {
    return lane.subgroup * QUADS * lane.width + lane.rank;
}

fn stride(lane: Lane) -> u32 {
    return lane.width;
}

/// The tile's total.
fn reduce_tile(tile: Quads, lane: Lane) -> T {
    let width = subgroup_width(lane);
    let total = reduce_run(tile, width, lane);
    let tree = subgroups(width);
    if lane.rank == 0u {
        nodes[node(tree, 0u, lane.subgroup)] = total;
    }
    grow(tree, lane.index);
    return root(tree);
}
