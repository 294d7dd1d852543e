// The same without subgroup operations: the lanes' totals are the leaves of a tree in workgroup memory. Index bits of an
// element, lowest first: place in the run, lane.
struct Lane {
    @builtin(local_invocation_index) index: u32,
}

const LEAVES = LANES;

fn first_quad(lane: Lane) -> u32 {
    return lane.index * QUADS;
}

fn stride(lane: Lane) -> u32 {
    return 1u;
}

/// The tile's total.
fn reduce_tile(tile: Quads, lane: Lane) -> T {
    let tree = Tree(0u, LEAVES);
    nodes[node(tree, 0u, lane.index)] = fold_run(tile);
    grow(tree, lane.index);
    return root(tree);
}

/// What precedes the lane's run in the tile, as far as it is of the same row.
fn before_run(lane: Lane) -> Left {
    let tree = Tree(0u, LEAVES);
    var before = Left(false, T());
    for (var level = 0u; (LEAVES >> level) > 1u && ((4u * QUADS) << level) < ROW; level = level + 1u) {
        if has_left(lane.index, level) {
            before = preceded(left_of(tree, lane.index, level), before);
        }
    }
    return before;
}
