// A tile of a compaction by subgroups. What is scanned is how many elements are kept, of which each lane has the
// elements and a bit for each. In each step a subgroup looks at neighbours, one a lane, so that a vote counts those
// before a lane, and what is kept goes side by side.
alias Scanned = Quads;

/// The first element of a lane whose first quad that is.
fn first_element(quad: u32, stride: u32) -> u32 {
    return 4u * quad - 3u * (quad & (stride - 1u));
}

fn scan_tile(tile: Quads, lane: Lane) -> Scanned {
    reduce_tile(tile, lane);
    return tile;
}

/// The same after `reduce_tile`.
fn scan_reduced(tile: Quads, lane: Lane) -> Scanned {
    return tile;
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

fn finish_tile(
    tile: Scanned,
    place: u32,
    has_prefix: bool,
    prefix: T,
    first: u32,
    whole: bool,
    lane: Lane,
) {
    var before = start_of_kept();
    if place > 0u {
        before = before + before_in_block(place);
    }
    if has_prefix {
        before = before + prefix;
    }
    let tree = subgroups(lane.width);
    if lane.index == 0u {
        let end = 4u * (first - first_quad(lane)) + TILE;
        tell_count(min(end, params.count) - 1u, before + root(tree));
    }
    for (var level = 0u; (tree.leaves >> level) > 1u; level = level + 1u) {
        if has_left(lane.subgroup, level) {
            before = before + left_of(tree, lane.subgroup, level);
        }
    }
    send_each(tile, first_element(first, stride(lane)), stride(lane), before, lanes_before(lane.rank));
}
