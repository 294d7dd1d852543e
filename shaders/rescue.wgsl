// What a workgroup does when something does not come: computes it itself. Rarely called; may be slow.
var<workgroup> found: T;
/// A binary counter of totals: entry k is that of 2^k tiles, or nothing.
var<workgroup> counter: array<T, 9>;

/// Sees to it that everything before tile `place` of `block` is published: from the nearest known prefix on, all
/// totals of tiles and blocks, and all prefixes of blocks.
fn rescue(half: u32, block: u32, place: u32, lane: u32) {
    var prefix = Entry(false, T());
    if lane == 0u {
        var begin = block;
        while begin > 0u && !prefix.ready {
            prefix = peek(block_prefix(half, begin));
            if !prefix.ready {
                begin = begin - 1u;
            }
        }
        if begin == 0u && params.piece > 0u {
            prefix = Entry(true, carries[params.piece]);
        }
        verdict.x = begin * TILES_PER_BLOCK;
    }
    let begin = workgroupUniformLoad(&verdict).x;
    let end = block * TILES_PER_BLOCK + place;
    for (var tile = begin; tile < end; tile = tile + 1u) {
        if lane == 0u {
            let seen = peek(tile_total(half, tile));
            found = seen.value;
            verdict.x = u32(seen.ready);
        }
        if workgroupUniformLoad(&verdict).x == 0u {
            let total = reduce_again(tile * (TILE / 4u), lane);
            if lane == 0u {
                found = total;
                publish(tile_total(half, tile), total);
            }
        }
        if lane == 0u {
            var total = found;
            var level = 0u;
            for (var count = tile % TILES_PER_BLOCK; (count & 1u) == 1u; count = count >> 1u) {
                total = combine(counter[level], total);
                level = level + 1u;
            }
            if level < levels_in_block() {
                counter[level] = total;
            } else {
                let closed = tile / TILES_PER_BLOCK;
                publish(block_total(half, closed), total);
                if prefix.ready {
                    total = combine(prefix.value, total);
                }
                prefix = Entry(true, total);
                publish(block_prefix(half, closed + 1u), total);
            }
        }
    }
    // What one lane has published, the others see when they look again.
    storageBarrier();
    workgroupBarrier();
}
