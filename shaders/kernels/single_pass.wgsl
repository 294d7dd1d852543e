// Single-pass scan with decoupled look-back (D. Merrill and M. Garland, 2016) in the canonical order. Tiles
// are claimed by ticket, so that every tile before a running one is running or done. A tile publishes its
// total before it does anything else; the last one of a block then publishes the block's total. All look for the
// totals before them in their block, and back over blocks for the nearest known prefix, from which they fold the
// totals that follow it. The last one of a block publishes the prefix of the next.
//
// No wait is unbounded: after `params.patience` fruitless looks a workgroup computes what it waits for, and
// gets the same bits.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<InCell>;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read_write> states: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> carries: array<T>;

const NONE = 0xffffffffu;
/// Blocks that one look back takes in: of more tiles than are in flight on the largest GPUs.
const WINDOW = 1024u / TILES_PER_BLOCK;

struct Claim {
    half: u32,
    tile: u32,
}

var<workgroup> ticket: u32;
/// Whether something that was looked for did not come.
var<workgroup> late: atomic<u32>;
/// How many blocks back the nearest known prefix is, or NONE.
var<workgroup> nearest: atomic<u32>;
var<workgroup> verdict: vec2<u32>;
/// What the lanes of a look back have seen, nearest first.
var<workgroup> totals_seen: array<T, WINDOW>;
var<workgroup> prefixes_seen: array<T, WINDOW>;
/// The prefix of the block, where the tile closes it.
var<workgroup> known: T;

fn claim(lane: u32) -> Claim {
    if lane == 0u {
        let claimed = atomicAdd(&states[0], 1u);
        if (claimed & ~OTHER_HALF) == params.tiles - 1u {
            // All are claimed: nobody of this dispatch reads the counter any more.
            atomicStore(&states[0], (claimed & OTHER_HALF) ^ OTHER_HALF);
            atomicStore(&states[1u + (claimed >> 31u)], (params.blocks + 1u) * RECORD);
        }
        ticket = claimed;
        atomicStore(&late, 0u);
        atomicStore(&nearest, NONE);
    }
    let claimed = workgroupUniformLoad(&ticket);
    return Claim(claimed >> 31u, tile_of_ticket(claimed & ~OTHER_HALF));
}

/// The total of a tile, looked for as long as there is patience.
fn total_of(half: u32, tile: u32) -> T {
    var total = peek(tile_total(half, tile));
    for (var looks = 0u; looks < params.patience && !total.ready; looks = looks + 1u) {
        total = peek(tile_total(half, tile));
    }
    if !total.ready {
        atomicStore(&late, 1u);
    }
    return total.value;
}

/// Looks for the totals of the first `count` tiles of `block`, and over `back` blocks for the nearest known prefix.
/// Returns whether something did not come, and how many blocks back that prefix is.
fn look(half: u32, block: u32, count: u32, back: u32, of_tile: Lane) -> vec2<u32> {
    let lane = of_tile.index;
    // The other lanes than those that look at tiles: both look at once.
    let far = lane - LANES / 2u;
    take_totals(half, block, count, of_tile);
    if lane >= LANES / 2u && far < back && far <= block {
        // The prefix of a block, or the total of the one before it.
        let here = block - far;
        var prefix = Entry(here == 0u, T());
        var total = Entry(false, T());
        if here == 0u && params.piece > 0u {
            prefix.value = carries[params.piece];
        }
        for (var looks = 0u; !prefix.ready && !total.ready && looks <= params.patience; looks = looks + 1u) {
            prefix = peek(block_prefix(half, here));
            if back > 1u {
                total = peek(block_total(half, here - 1u));
            }
        }
        prefixes_seen[far] = prefix.value;
        totals_seen[far] = total.value;
        if prefix.ready {
            atomicMin(&nearest, far);
        } else if !total.ready {
            atomicStore(&late, 1u);
        }
    }
    workgroupBarrier();
    combine_taken(count, of_tile);
    if lane == 0u {
        let near = atomicLoad(&nearest);
        verdict = vec2(select(atomicLoad(&late), 1u, back > 0u && near == NONE), near);
        atomicStore(&late, 0u);
        atomicStore(&nearest, NONE);
    }
    return workgroupUniformLoad(&verdict);
}

/// The prefix of `block`: the fold from the nearest known one on.
fn fold(block: u32, near: u32) -> T {
    var left = near;
    var prefix = prefixes_seen[left];
    if left == block && params.piece == 0u {
        // Block 0 has no prefix: the fold begins with its total.
        left = left - 1u;
        prefix = totals_seen[left];
    }
    while left > 0u {
        left = left - 1u;
        prefix = combine(prefix, totals_seen[left]);
    }
    return prefix;
}

/// Publishes the total of a block and the prefix of the next; `last` is the total of its last tile. Returns whether
/// something did not come.
fn close_block(half: u32, block: u32, last: T, has_prefix: bool, publishing: bool, of_tile: Lane) -> bool {
    let lane = of_tile.index;
    if look(half, block, TILES_PER_BLOCK - 1u, 0u, of_tile).x != 0u {
        return true;
    }
    var total = last;
    if lane == 0u {
        total = total_of_block(last);
        if publishing {
            publish(block_total(half, block), total);
        }
    }
    if has_prefix {
        let seen = look(half, block, 0u, WINDOW, of_tile);
        if seen.x != 0u {
            return true;
        }
        if lane == 0u {
            known = fold(block, seen.y);
            total = combine(known, total);
        }
    }
    if lane == 0u {
        if publishing {
            publish(block_prefix(half, block + 1u), total);
        }
        if (block + 1u) * TILES_PER_BLOCK == params.tiles {
            carries[params.piece + 1u] = total;
        }
    }
    workgroupBarrier();
    return false;
}

/// Scans a tile, unless something that it needs does not come: then how many tiles of the block should have. What
/// helping takes and the tile itself would need registers at once, so whoever has helped itself begins anew.
fn scan_claimed(half: u32, tile: u32, lane: Lane) -> u32 {
    let block = tile / TILES_PER_BLOCK;
    let place = tile % TILES_PER_BLOCK;
    let first = tile * (TILE / 4u) + first_quad(lane);
    let whole = params.count - tile * TILE >= TILE;
    var quads: Quads;
    if whole {
        quads = load_whole(first, stride(lane));
    } else {
        quads = load_ragged(first, stride(lane), params.count);
    }
    clear_other_half(half, tile, params.tiles, lane.index);
    let total = reduce_tile(quads, lane);
    let publishing = whole && publishes(tile);
    if publishing && lane.index == 0u {
        publish(tile_total(half, tile), total);
    }
    let has_prefix = block > 0u || params.piece > 0u;
    let closes_block = whole && place == TILES_PER_BLOCK - 1u;
    if closes_block {
        if close_block(half, block, total, has_prefix, publishing, lane) {
            return place;
        }
    }
    let scanned = scan_reduced(quads, lane);

    // Whoever has closed the block has found all of this already.
    var prefix = T();
    if !closes_block {
        let seen = look(half, block, place, select(0u, WINDOW, has_prefix), lane);
        if seen.x != 0u {
            return place;
        }
        if has_prefix {
            prefix = fold(block, seen.y);
        }
    } else if has_prefix {
        prefix = known;
    }
    finish_tile(scanned, place, has_prefix, prefix, first, whole, lane);
    return NONE;
}

@compute @workgroup_size(LANES)
fn single_pass(@builtin(workgroup_id) group: vec3<u32>, lane: Lane) {
    if group.y * params.grid_x + group.x >= params.tiles {
        return;
    }
    let claimed = claim(lane.index);
    var tile = claimed.tile;
    loop {
        let missing = scan_claimed(claimed.half, tile, lane);
        if missing == NONE {
            break;
        }
        rescue(claimed.half, claimed.tile / TILES_PER_BLOCK, missing, lane.index);
        // No compiler knows that it is the same once more, and keeps what it has computed of it meanwhile.
        tile = tile ^ params.zero;
    }
}
