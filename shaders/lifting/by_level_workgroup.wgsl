// How lanes lift level by level, each a run of quads.

/// Inclusive scan of the tile.
fn scan_tile(tile: Quads, lane: Lane) -> Quads {
    let quads = scan_steps(scan_each(tile));
    let tree = Tree(0u, LEAVES);
    nodes[node(tree, 0u, lane.index)] = last_of_all(quads);
    grow(tree, lane.index);
    return lift_runs(quads, lane);
}

/// The same after `reduce_tile`, which has grown the tree.
fn scan_reduced(tile: Quads, lane: Lane) -> Quads {
    return lift_runs(scan_steps(scan_each(tile)), lane);
}

/// Each lane's run with those before it combined in.
fn lift_runs(runs: Quads, lane: Lane) -> Quads {
    var quads = runs;
    for (var level = 0u; (LEAVES >> level) > 1u && ((4u * QUADS) << level) < ROW; level = level + 1u) {
        if has_left(lane.index, level) {
            quads = lift_all(left_of(Tree(0u, LEAVES), lane.index, level), quads);
        }
    }
    return quads;
}

/// Moves an inclusive scan one element on; `before` enters at the tile's first element.
fn shift_tile(quads: Quads, before: T, lane: Lane) -> Quads {
    workgroupBarrier(); // every lane is done with the tree
    nodes[lane.index] = last_of_all(quads);
    workgroupBarrier();
    var entering = before;
    if lane.index > 0u {
        entering = nodes[lane.index - 1u];
    }
    return shift_each(quads, step_back(entering, last_of_each(quads)));
}
