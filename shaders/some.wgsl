// Tiles and blocks that may be cut short. The scan of a last element is the total of a tree in which a node whose
// right child holds nothing is its left child.

/// The total of the first `there` of `leaves` values, no more than twice the lanes, from `origin` on in `nodes`:
/// it takes the place of the first. The whole workgroup calls it, after the leaves were written.
///
/// A parameter that is zero keeps compilers from writing out the barriers.
fn grow_some(origin: u32, leaves: u32, there: u32, lane: u32) {
    for (var half = 1u; half < leaves + params.zero; half = half << 1u) {
        workgroupBarrier();
        let left = 2u * half * lane;
        if left + half < there {
            nodes[origin + left] = combine(nodes[origin + left], nodes[origin + left + half]);
        }
    }
    workgroupBarrier();
}

/// The combination of the first `there` of four, at least one.
fn total_of_some(quad: Quad, there: u32) -> T {
    if there == 1u {
        return quad.x;
    }
    let total = combine(quad.x, quad.y);
    if there == 2u {
        return total;
    }
    if there == 3u {
        return combine(total, quad.z);
    }
    return combine(total, combine(quad.z, quad.w));
}

/// Where tiles of a share that is cut short are in `nodes`.
const TILES = CUT + QUADS;

/// The total of a share of tiles, whole or not, one tile after the other.
fn reduce_some_tiles(share: u32, lane: u32) -> T {
    let first = share * params.share;
    let there = min(params.share, (params.count + TILE - 1u) / TILE - first);
    for (var i = 0u; i < there; i = i + 1u) {
        let total = reduce_some(first + i, lane);
        if lane == 0u {
            nodes[TILES + i] = total;
        }
        workgroupBarrier(); // all lanes have read the total
    }
    grow_some(TILES, params.share, there, lane);
    return nodes[TILES];
}

/// Elements of a lane's run.
const RUN = 4u * QUADS;
/// Where the quads of a run that is cut short are in `nodes`.
const CUT = 2u * LANES;

/// The total of a tile, whole or not; of one that is cut short, the scan of its last element. Each lane has a run of
/// its own, whatever lanes can do together: it is one tile, or a rare one.
fn reduce_some(tile: u32, lane: u32) -> T {
    let first = tile * (TILE / 4u);
    let there = min(TILE, params.count - tile * TILE);
    // The run that is cut short, if any is: its quads are leaves of a tree of their own.
    let cut = there / RUN;
    let rest = there % RUN;
    let quads = load_ragged(first + lane * QUADS, 1u, params.count);
    if 4u * lane < rest {
        let quad = read_ragged(first + cut * QUADS + lane, params.count);
        nodes[CUT + lane] = total_of_some(quad, min(4u, rest - 4u * lane));
    }
    nodes[lane] = reduce_steps(total_of_each(quads));
    if rest > 0u {
        grow_some(CUT, QUADS, (rest + 3u) / 4u, lane);
        if lane == 0u {
            nodes[cut] = nodes[CUT];
        }
    }
    grow_some(0u, LANES, cut + u32(rest > 0u), lane);
    return nodes[0];
}
