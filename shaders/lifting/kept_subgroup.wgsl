// In each step a subgroup looks at neighbours, one a lane, so that a vote counts those before a lane, and what is kept
// goes side by side.

/// The first element of a lane whose first quad that is.
fn first_element(quad: u32, stride: u32) -> u32 {
    return 4u * quad - 3u * (quad & (stride - 1u));
}

/// The tree over runs: a subgroup's each.
fn runs(lane: Lane) -> Tree {
    return subgroups(lane.width);
}

/// The total of a subgroup's run.
fn reduce_run(tile: Quads, width: u32, lane: Lane) -> T {
    return subgroupAdd(countOneBits(tile.kept));
}

/// How many of its lanes a subgroup has counted.
fn count_of(votes: vec4<u32>) -> u32 {
    let counts = countOneBits(votes);
    return counts.x + counts.y + counts.z + counts.w;
}

/// The lanes before this one.
fn lanes_before(rank: u32) -> vec4<u32> {
    let lanes = min(max(vec4(rank), vec4(0u, 32u, 64u, 96u)) - vec4(0u, 32u, 64u, 96u), vec4(32u));
    // A shift by 32 is one by 0.
    return select((vec4(1u) << lanes) - vec4(1u), vec4(0xffffffffu), lanes == vec4(32u));
}

fn send_tile(tile: Quads, first: u32, before: u32, lane: Lane) {
    let start = before + kept_before(lane.subgroup, lane);
    send_each(tile, first_element(first, stride(lane)), stride(lane), start, lanes_before(lane.rank));
}
