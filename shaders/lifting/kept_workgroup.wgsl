// A lane's run is neighbours, so what lanes keep of one step lies far apart. It comes side by side in workgroup memory
// first, some places at a time.
const STAGED = 1024u;
var<workgroup> staged: array<Out, STAGED>;

/// The tree over runs: a lane's each.
fn runs(lane: Lane) -> Tree {
    return Tree(0u, LEAVES);
}

/// How many a lane keeps.
fn total_of_each(tile: Quads) -> T {
    return countOneBits(tile.kept);
}

fn reduce_steps(total: T) -> T {
    return total;
}

fn send_tile(tile: Quads, first: u32, before: u32, lane: Lane) {
    let start = kept_before(lane.index, lane);
    let total = workgroupUniformLoad(&nodes[root_of(runs(lane))]);
    for (var staging = 0u; staging < total; staging = staging + STAGED) {
        // Places wrap around before those that are staged, and are then beyond them.
        stage_each(tile, 4u * first, start - staging);
        workgroupBarrier();
        for (var i = lane.index; i < min(STAGED, total - staging); i = i + LANES) {
            write_result(before + staging + i, staged[i]);
        }
        workgroupBarrier();
    }
}
