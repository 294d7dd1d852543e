// How lanes lift level by level, where subgroups shuffle.
var<workgroup> edges: array<T, LEAVES>;

/// Inclusive scan of the tile.
fn scan_tile(tile: Quads, lane: Lane) -> Quads {
    let width = subgroup_width(lane);
    let quads = scan_runs(tile, width, lane);
    let tree = subgroups(width);
    if lane.rank == lane.width - 1u {
        nodes[node(tree, 0u, lane.subgroup)] = last_of_all(quads);
    }
    grow(tree, lane.index);
    return lift_runs(quads, width, lane);
}

/// The same after `reduce_tile`, which has grown the tree.
fn scan_reduced(tile: Quads, lane: Lane) -> Quads {
    let width = subgroup_width(lane);
    return lift_runs(scan_runs(tile, width, lane), width, lane);
}

/// Inclusive scan of each subgroup's run.
fn scan_runs(tile: Quads, width: u32, lane: Lane) -> Quads {
    var quads = scan_each(tile);
    for (var half = 1u; half < width && 4u * half < ROW; half = half << 1u) {
        let last_on_the_left = (lane.rank & ~(2u * half - 1u)) | (half - 1u);
        let left = shuffle_each(last_of_each(quads), last_on_the_left);
        if (lane.rank & half) != 0u {
            quads = lift_each(left, quads);
        }
    }
    return scan_steps(quads, width - 1u);
}

/// Each run with those before it combined in.
fn lift_runs(runs: Quads, width: u32, lane: Lane) -> Quads {
    var quads = runs;
    let tree = subgroups(width);
    let run = 4u * QUADS * width;
    for (var level = 0u; (tree.leaves >> level) > 1u && (run << level) < ROW; level = level + 1u) {
        if has_left(lane.subgroup, level) {
            quads = lift_all(left_of(tree, lane.subgroup, level), quads);
        }
    }
    return quads;
}

/// Moves an inclusive scan one element on; `before` enters at the tile's first element.
fn shift_tile(quads: Quads, before: T, lane: Lane) -> Quads {
    if lane.rank == lane.width - 1u {
        edges[lane.subgroup] = last_of_all(quads);
    }
    workgroupBarrier();
    var entering = before;
    if lane.subgroup > 0u {
        entering = edges[lane.subgroup - 1u];
    }
    let previous_lane = select(lane.rank, lane.width, lane.rank == 0u) - 1u;
    let left = shuffle_each(last_of_each(quads), previous_lane);
    if lane.rank == 0u {
        return shift_each(quads, step_back(entering, left));
    }
    return shift_each(quads, left);
}
