// A tile by subgroups of any power-of-two width, where each lane owns a run of neighbouring quads. Index bits of an
// element, lowest first: place in the run, lane, subgroup.
struct Lane {
    @builtin(local_invocation_index) index: u32,
    @builtin(subgroup_invocation_id) rank: u32,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_id) subgroup: u32,
}

/// No subgroup is narrower than four lanes (the host checks).
const LEAVES = LANES / 4u;

/// The total of the lane's run and those before it in its subgroup, or in its row.
var<private> end_of_run: T;

fn first_quad(lane: Lane) -> u32 {
    return (lane.subgroup * lane.width + lane.rank) * QUADS;
}

fn stride(lane: Lane) -> u32 {
    return 1u;
}

fn subgroups(width: u32) -> Tree {
    return Tree(0u, LANES / width);
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
    var before = Left((first_quad(lane) & within) != 0u, shuffle(end_of_run, previous_lane));
    let tree = subgroups(lane.width);
    let run = 4u * QUADS * lane.width;
    for (var level = 0u; (tree.leaves >> level) > 1u && (run << level) < ROW; level = level + 1u) {
        if has_left(lane.subgroup, level) {
            before = preceded(left_of(tree, lane.subgroup, level), before);
        }
    }
    return before;
}
