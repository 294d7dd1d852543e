// The levels of the canonical tree between tiles of one block, and the fold before it.

/// A scanned tile with the tiles before it in its block combined in.
fn lift_in_block(tile: Quads, place: u32) -> Quads {
    var quads = tile;
    for (var level = 0u; level < levels_in_block(); level = level + 1u) {
        if has_left(place, level) {
            quads = lift_all(left_in_block(place, level), quads);
        }
    }
    return quads;
}

/// The scan inside the block of the last element before tile `place` > 0.
fn before_in_block(place: u32) -> T {
    // The nearest left sibling ends with that element, and those before it are the element's own.
    let nearest_level = firstTrailingBit(place);
    var prefix = left_in_block(place, nearest_level);
    for (var level = nearest_level + 1u; level < levels_in_block(); level = level + 1u) {
        if has_left(place, level) {
            prefix = combine(left_in_block(place, level), prefix);
        }
    }
    return prefix;
}

/// Stores a scanned tile with its whole past combined in. `prefix` is that of the block, if `has_prefix`.
fn finish_tile(
    tile: Quads,
    place: u32,
    has_prefix: bool,
    prefix: T,
    first: u32,
    whole: bool,
    lane: Lane,
) {
    var quads = lift_in_block(tile, place);
    if has_prefix {
        quads = lift_all(prefix, quads);
    }
    if EXCLUSIVE {
        var before = start();
        if place > 0u {
            before = before_in_block(place);
            if has_prefix {
                before = combine(prefix, before);
            }
        } else if has_prefix {
            before = prefix;
        }
        quads = shift_tile(quads, before, lane);
        if ROW < TILE {
            quads = start_each(quads, first, stride(lane));
        }
    }
    if whole {
        store_whole(first, stride(lane), quads);
    } else {
        store_ragged(first, stride(lane), quads, params.count);
    }
}
