// A tile's total once more, by a workgroup that holds a tile of its own: one quad a lane at a time, so that
// it needs few registers, and none of the tile's own workgroup memory. It is rarely called and may be slow.
var<workgroup> again: array<T, LANES>;
var<workgroup> again_steps: array<T, 2u * QUADS>;

/// The total of the whole tile that begins with quad `first`; every lane gets it.
///
/// The loops with barriers are bounded by a parameter, which no compiler knows to be more than 0: unrolled,
/// their barriers alone take lavapipe 10 seconds to compile.
fn reduce_again(first: u32, lane: u32) -> T {
    let steps = min(QUADS, params.tiles * QUADS);
    let pairs = min(LANES / 2u, params.tiles * LANES);
    for (var step = 0u; step < steps; step = step + 1u) {
        again[lane] = total_of_quad(read_quad(first + step * LANES + lane));
        for (var parents = pairs; parents > 0u; parents = parents / 2u) {
            workgroupBarrier();
            var total = T();
            if lane < parents {
                total = combine(again[2u * lane], again[2u * lane + 1u]);
            }
            workgroupBarrier();
            if lane < parents {
                again[lane] = total;
            }
        }
        if lane == 0u {
            again_steps[step] = again[0];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        var from_here = 0u;
        for (var parents = QUADS / 2u; parents > 0u; parents = parents / 2u) {
            let to_there = from_here + 2u * parents;
            for (var i = 0u; i < parents; i = i + 1u) {
                again_steps[to_there + i] =
                    combine(again_steps[from_here + 2u * i], again_steps[from_here + 2u * i + 1u]);
            }
            from_here = to_there;
        }
    }
    workgroupBarrier();
    let total = again_steps[2u * QUADS - 2u];
    workgroupBarrier();
    return total;
}
