// What precedes a run of neighbouring elements is combined in the canonical order; the run's own elements follow one
// after the other. A lane holds them as they came, for what is combined may be much wider. `fold_run` is the total
// of a run, `finish_run` goes through it and stores.
alias Scanned = Quads;

/// What came before a quad, once the quad has been gone over, and its results.
struct Step {
    left: Left,
    quad: Quad,
}

fn step_over(left: Left, quad: Quad) -> Step {
    var x = quad.x;
    if left.there {
        x = combine(left.value, quad.x);
    }
    let y = combine(x, quad.y);
    let z = combine(y, quad.z);
    let w = combine(z, quad.w);
    if EXCLUSIVE {
        var first = left.value;
        if !left.there {
            first = start();
        }
        return Step(Left(true, w), Quad(first, x, y, z));
    }
    return Step(Left(true, w), Quad(x, y, z, w));
}

fn scan_tile(tile: Quads, lane: Lane) -> Scanned {
    // Each lane then finds what precedes its run.
    reduce_tile(tile, lane);
    return tile;
}

/// The same after `reduce_tile`.
fn scan_reduced(tile: Quads, lane: Lane) -> Scanned {
    return tile;
}

/// Stores a tile's results. `prefix` is that of the block, if `has_prefix`.
fn finish_tile(
    tile: Scanned,
    place: u32,
    has_prefix: bool,
    prefix: T,
    first: u32,
    whole: bool,
    lane: Lane,
) {
    var before = before_run(lane);
    for (var level = 0u; level < levels_in_block(); level = level + 1u) {
        if has_left(place, level) {
            before = preceded(left_in_block(place, level), before);
        }
    }
    if has_prefix {
        before = preceded(prefix, before);
    }
    finish_run(tile, before, whole);
}
