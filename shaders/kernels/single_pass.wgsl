// Single-pass scan with decoupled look-back (D. Merrill and M. Garland, 2016) in the canonical order. Tiles
// are claimed by ticket, so that every tile before a running one is running or done. A tile publishes its
// total; the last one of a block publishes the block's total. A tile gathers the totals before it in its
// block, then looks back over blocks for the nearest known prefix and folds the totals that follow it.
//
// No wait is unbounded: after `params.patience` fruitless looks a workgroup computes what it waits for, and
// gets the same bits.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<InCell>;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read_write> states: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> carries: array<T>;

const NONE = 0xffffffffu;
/// Blocks that one look back takes in; more than are in flight on the largest GPUs.
const WINDOW = 32u;

var<workgroup> ticket: u32;
/// The nearest entry that is not there yet, or NONE.
var<workgroup> missing: atomic<u32>;
/// How many blocks back the nearest known prefix is, or NONE.
var<workgroup> nearest: atomic<u32>;
var<workgroup> verdict: vec2<u32>;
/// What the lanes of a look back have seen, nearest first.
var<workgroup> totals_seen: array<T, WINDOW>;
var<workgroup> prefixes_seen: array<T, WINDOW>;
var<workgroup> known: T;

// Entries of one half: totals of tiles, totals of blocks, prefixes of blocks.
fn tile_total_entry(tile: u32) -> u32 {
    return tile;
}

fn block_total_entry(block: u32) -> u32 {
    return params.tiles + 2u * block;
}

fn block_prefix_entry(block: u32) -> u32 {
    return params.tiles + 2u * block + 1u;
}

/// What every lane has found, seen alike by all: the nearest that is missing, the nearest that is known.
fn agree(lane: u32) -> vec2<u32> {
    workgroupBarrier();
    if lane == 0u {
        verdict = vec2(atomicLoad(&missing), atomicLoad(&nearest));
        atomicStore(&missing, NONE);
        atomicStore(&nearest, NONE);
    }
    return workgroupUniformLoad(&verdict);
}

/// Collects the totals of the first `count` tiles of `block` as leaves, and grows the tree over them.
fn gather(half: u32, block: u32, count: u32, lane: Lane) {
    let tree = tiles_of_block();
    let first = block * TILES_PER_BLOCK;
    if lane.index < TILES_PER_BLOCK {
        nodes[node(tree, 0u, lane.index)] = T();
    }
    var waiting = lane.index < count;
    loop {
        if waiting {
            let total = await_entry(half, tile_total_entry(first + lane.index), params.patience);
            if total.ready {
                nodes[node(tree, 0u, lane.index)] = total.value;
                waiting = false;
            } else {
                atomicMin(&missing, lane.index);
            }
        }
        let late = agree(lane.index).x;
        if late == NONE {
            break;
        }
        let tile = first + late;
        let total = reduce_again(tile * (TILE / 4u), lane.index);
        // The lane that waited for it need not see the others' stores to go on.
        if lane.index == late {
            publish(half, tile_total_entry(tile), total);
            nodes[node(tree, 0u, late)] = total;
            waiting = false;
        }
    }
    grow(tree, lane.index);
}

/// Leaves the prefix of `block` in `known`: of a block > 0, or of block 0 behind an earlier piece. Returns
/// NONE then, and else the block whose total did not come.
fn look_back(half: u32, block: u32, lane: Lane) -> u32 {
    var goal = block;
    loop {
        // Lane i looks at the prefix of block goal - i, and at the total of the block before that.
        if lane.index < WINDOW && lane.index <= goal {
            let here = goal - lane.index;
            var total = Entry(false, T());
            var prefix = Entry(false, T());
            if here > 0u {
                for (var looks = 0u; !prefix.ready && !total.ready && looks <= params.patience; looks = looks + 1u) {
                    prefix = peek(half, block_prefix_entry(here));
                    total = peek(half, block_total_entry(here - 1u));
                }
            } else {
                // Nothing precedes block 0 but what an earlier piece carried over.
                prefix.ready = true;
                if params.piece > 0u {
                    prefix.value = carries[params.piece];
                }
            }
            totals_seen[lane.index] = total.value;
            prefixes_seen[lane.index] = prefix.value;
            if prefix.ready {
                atomicMin(&nearest, lane.index);
            }
            if !total.ready {
                atomicMin(&missing, lane.index);
            }
        }
        let found = agree(lane.index);
        if found.y == NONE && found.x == NONE {
            // All totals in sight are there, but no prefix: first that of the farthest block.
            goal = goal - (WINDOW - 1u);
        } else if found.y == NONE || found.y > found.x {
            return goal - found.x - 1u;
        } else {
            if lane.index == 0u {
                var left = found.y;
                var prefix = prefixes_seen[left];
                if left == goal && params.piece == 0u {
                    // Block 0 has no prefix: the fold begins with its total.
                    left = left - 1u;
                    prefix = totals_seen[left];
                }
                while left > 0u {
                    left = left - 1u;
                    prefix = combine(prefix, totals_seen[left]);
                }
                known = prefix;
                publish(half, block_prefix_entry(goal), prefix);
            }
            if goal == block {
                break;
            }
            goal = block;
        }
    }
    workgroupBarrier();
    return NONE;
}

@compute @workgroup_size(LANES)
fn single_pass(@builtin(workgroup_id) group: vec3<u32>, lane: Lane) {
    if group.y * params.grid_x + group.x >= params.tiles {
        return;
    }
    if lane.index == 0u {
        let claimed = atomicAdd(&states[0], 1u);
        if (claimed & ~OTHER_HALF) == params.tiles - 1u {
            // All are claimed: nobody of this dispatch reads the counter any more.
            atomicStore(&states[0], (claimed & OTHER_HALF) ^ OTHER_HALF);
            atomicStore(&states[1u + (claimed >> 31u)], params.tiles + 2u * (params.blocks + 1u));
        }
        ticket = claimed;
        atomicStore(&missing, NONE);
        atomicStore(&nearest, NONE);
    }
    let claimed = workgroupUniformLoad(&ticket);
    let half = claimed >> 31u;
    let tile = claimed & ~OTHER_HALF;
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
    quads = scan_tile(quads, lane);
    let total = tile_total(lane);
    if whole && lane.index == 0u {
        publish(half, tile_total_entry(tile), total);
    }

    let closes_block = whole && place == TILES_PER_BLOCK - 1u;
    let has_prefix = block > 0u || params.piece > 0u;
    // Gathers its own block's tiles; then looks back, and gathers those of blocks whose totals do not come;
    // then, if it did, its own again. One loop, so that each of these is in the kernel once: drivers that
    // turn barriers into coroutines take very long to compile more.
    var task = block;
    var looking = has_prefix;
    loop {
        let own = task == block;
        let count = select(TILES_PER_BLOCK, place, own);
        if count > 0u {
            gather(half, task, count, lane);
        }
        if lane.index == 0u {
            if !own {
                publish(half, block_total_entry(task), root(tiles_of_block()));
            } else if closes_block {
                publish(half, block_total_entry(block), block_total(total));
            }
        }
        if !looking {
            break;
        }
        let late = look_back(half, block, lane);
        looking = late != NONE;
        if looking {
            task = late;
        } else if own {
            break;
        } else {
            task = block;
        }
    }

    var prefix = T();
    if has_prefix {
        prefix = known;
    }
    if closes_block && lane.index == 0u {
        var next = block_total(total);
        if has_prefix {
            next = combine(prefix, next);
        }
        publish(half, block_prefix_entry(block + 1u), next);
        if tile == params.tiles - 1u {
            carries[params.piece + 1u] = next;
        }
    }
    finish_tile(quads, place, has_prefix, prefix, first, whole, lane);
}

/// The total of the block that ends with this tile, whose total is `last`.
fn block_total(last: T) -> T {
    var total = last;
    for (var level = 0u; (TILES_PER_BLOCK >> level) > 1u; level = level + 1u) {
        total = combine(left_of(tiles_of_block(), TILES_PER_BLOCK - 1u, level), total);
    }
    return total;
}
