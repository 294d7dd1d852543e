// Several whole tiles as one: each subgroup goes through a run as long as its runs of all of them, and meets the
// others only once.

/// The total of share `share`.
fn reduce_share(share: u32, lane: Lane) -> T {
    let width = subgroup_width(lane);
    let tree = Tree(0u, params.share * (LANES / width));
    let leaf = lane.subgroup * params.share;
    let first = share * params.share * (TILE / 4u) + leaf * QUADS * width + lane.rank;
    for (var step = 0u; step < params.share; step = step + 1u) {
        let total = reduce_run(load_whole(first + step * QUADS * width, width), width, lane);
        if lane.rank == 0u {
            nodes[node(tree, 0u, leaf + step)] = total;
        }
    }
    grow(tree, lane.index);
    return root(tree);
}
