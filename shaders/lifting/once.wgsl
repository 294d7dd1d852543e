// Every element is lifted once: what precedes a quad is combined first. For operators that give the same bits however
// their operands are grouped. The identity is combined with nothing here either.

/// A tile whose quads are scanned, each for itself, and the totals of each and all before it in its run.
struct Scanned {
    quads: Quads,
    ends: Each,
}

/// An inclusive scan of four elements.
fn scan_quad(quad: Quad) -> Quad {
    let y = combine(quad.x, quad.y);
    let z = combine(y, quad.z);
    return Quad(quad.x, y, z, combine(z, quad.w));
}

/// A scanned quad with its whole past combined in: `before` if it is not the first of its run or row, and `outer`, what
/// precedes that.
fn finish_quad(quad: Quad, inside: bool, before: T, outer: Left) -> Quad {
    var left = outer.value;
    if inside {
        left = before;
        if outer.there {
            left = combine(outer.value, before);
        }
    }
    let there = inside || outer.there;
    if EXCLUSIVE {
        if there {
            return Quad(left, combine(left, quad.x), combine(left, quad.y), combine(left, quad.z));
        }
        return Quad(start(), quad.x, quad.y, quad.z);
    }
    if there {
        return lift(left, quad);
    }
    return quad;
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
    var outer = before_run(lane);
    if place > 0u {
        outer = preceded(before_in_block(place), outer);
    }
    if has_prefix {
        outer = preceded(prefix, outer);
    }
    let quads = finish_each(tile.quads, before_each(tile.ends, lane), outer, first, stride(lane));
    store_tile(first, whole, quads, lane);
}
