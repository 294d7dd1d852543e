// A tile of a compaction. What is scanned is how many elements are kept, of which each lane has the elements and a bit
// for each.
alias Scanned = Quads;

fn scan_tile(tile: Quads, lane: Lane) -> Scanned {
    reduce_tile(tile, lane);
    return tile;
}

/// The same after `reduce_tile`.
fn scan_reduced(tile: Quads, lane: Lane) -> Scanned {
    return tile;
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
    if lane.index == 0u {
        let end = 4u * (first - first_quad(lane)) + TILE;
        tell_count(min(end, params.count) - 1u, before + root(runs(lane)));
    }
    send_tile(tile, first, before, lane);
}

/// How many are kept before the run of a lane or subgroup in its tile.
fn kept_before(run: u32, lane: Lane) -> u32 {
    let tree = runs(lane);
    var before = 0u;
    for (var level = 0u; (tree.leaves >> level) > 1u; level = level + 1u) {
        if has_left(run, level) {
            before = before + left_of(tree, run, level);
        }
    }
    return before;
}
