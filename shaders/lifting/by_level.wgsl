// Every element is lifted level by level, by its left siblings, the smallest first: the canonical order itself.
alias Scanned = Quads;

/// The lowest two levels of the canonical tree: an inclusive scan of four elements.
fn scan_quad(quad: Quad) -> Quad {
    let y = combine(quad.x, quad.y);
    let w = combine(quad.z, quad.w);
    return Quad(quad.x, y, combine(y, quad.z), combine(y, w));
}

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

/// Stores a scanned tile with its whole past combined in. `prefix` is that of the block, if `has_prefix`.
fn finish_tile(
    tile: Scanned,
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
    store_tile(first, whole, quads, lane);
}
