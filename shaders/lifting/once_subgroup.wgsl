// How lanes find what precedes their quads, where subgroups shuffle.

/// The tile with its quads scanned, and the tree over its runs.
fn scan_tile(tile: Quads, lane: Lane) -> Scanned {
    let scanned = scan_reduced(tile, lane);
    let tree = subgroups(subgroup_width(lane));
    if lane.rank == lane.width - 1u {
        nodes[node(tree, 0u, lane.subgroup)] = last_of(scanned.ends);
    }
    grow(tree, lane.index);
    return scanned;
}

/// The same after `reduce_tile`, which has grown the tree.
fn scan_reduced(tile: Quads, lane: Lane) -> Scanned {
    let width = subgroup_width(lane);
    let quads = scan_each(tile);
    var ends = last_of_each(quads);
    for (var half = 1u; half < width && 4u * half < ROW; half = half << 1u) {
        let last_on_the_left = (lane.rank & ~(2u * half - 1u)) | (half - 1u);
        let left = shuffle_each(ends, last_on_the_left);
        if (lane.rank & half) != 0u {
            ends = combine_each(left, ends);
        }
    }
    return Scanned(quads, scan_ends(ends, width - 1u));
}

/// What precedes each quad in its run: the end before it. Nothing precedes the first.
fn before_each(ends: Each, lane: Lane) -> Each {
    let previous_lane = select(lane.rank, lane.width, lane.rank == 0u) - 1u;
    let left = shuffle_each(ends, previous_lane);
    if lane.rank == 0u {
        return step_back(T(), left);
    }
    return left;
}

/// The total of the whole tile; all lanes ask for it.
fn total_of_tile(lane: Lane) -> T {
    let tree = subgroups(subgroup_width(lane));
    return workgroupUniformLoad(&nodes[root_of(tree)]);
}

/// What precedes the subgroup's run in the tile, as far as it is of the same row.
fn before_run(lane: Lane) -> Left {
    return preceded_by_runs(Left(false, T()), lane);
}
