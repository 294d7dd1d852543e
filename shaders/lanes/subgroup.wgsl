// A tile by subgroups of any power-of-two width: each owns a contiguous run of quads and walks through it
// in steps of one quad a lane. Index bits of an element, lowest first: place in the quad, lane, step,
// subgroup. Totals travel between lanes by shuffles, between subgroups through the tree.
struct Lane {
    @builtin(local_invocation_index) index: u32,
    @builtin(subgroup_invocation_id) rank: u32,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_id) subgroup: u32,
}

/// No subgroup is narrower than four lanes (the host checks).
const LEAVES = LANES / 4u;

fn first_quad(lane: Lane) -> u32 {
    return lane.subgroup * QUADS * lane.width + lane.rank;
}

fn stride(lane: Lane) -> u32 {
    return lane.width;
}

fn subgroups(width: u32) -> Tree {
    return Tree(0u, LANES / width);
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
