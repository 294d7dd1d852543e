// The total of one long input in one dispatch. Each workgroup publishes the total of its share, which is one tile or
// several of one block, and counts it. Whoever counts the last share of a block makes the block's total of them,
// publishes it and counts the block; whoever counts the last block folds over all. So nobody waits for work that has
// not begun. What states know as tiles are shares here.
//
// Atomics are relaxed, so what was published before it was counted may be seen later. After `params.patience`
// fruitless looks it is computed again, with the same bits: no wait is unbounded.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<InCell>;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read_write> states: array<atomic<u32>>;

const NONE = 0xffffffffu;
/// Where totals that were published are gathered in `nodes`, one a lane.
const GATHERED = LANES;
const_assert TILES_PER_BLOCK <= LANES;

var<workgroup> half_in_use: u32;
/// The first of what is gathered that did not come, or NONE.
var<workgroup> missing: atomic<u32>;
var<workgroup> verdict: u32;
/// The fold over blocks so far.
var<workgroup> running: T;

/// How many shares of a block are counted. It lies where a scan has the block's prefix, of which there is none here.
fn shares_counted(half: u32, block: u32) -> u32 {
    return block_prefix(half, block).first;
}

/// How many blocks are counted: in the first record, on a line of its own.
fn blocks_counted(half: u32) -> u32 {
    return block_prefix(half, 0u).first + RECORD / 8u;
}

fn shares_in_block() -> u32 {
    return TILES_PER_BLOCK / params.share;
}

/// How many there are of a block.
fn shares_of(block: u32) -> u32 {
    return min(shares_in_block(), params.tiles - block * shares_in_block());
}

fn share_total(half: u32, block: u32, i: u32) -> Words {
    return tile_total(half, block * TILES_PER_BLOCK + i);
}

/// What was published, unless patience runs out.
fn seek(at: Words) -> Entry {
    var seen = peek(at);
    for (var looks = 0u; looks < params.patience && !seen.ready; looks = looks + 1u) {
        seen = peek(at);
    }
    return seen;
}

/// Gathers one value of each of the first `count` lanes. Returns the first lane whose value did not come, or NONE.
fn gather(seen: Entry, count: u32, lane: u32) -> u32 {
    workgroupBarrier(); // nobody reads what was gathered before
    nodes[GATHERED + lane] = seen.value;
    if lane < count && !seen.ready {
        atomicMin(&missing, lane);
    }
    workgroupBarrier();
    if lane == 0u {
        verdict = atomicLoad(&missing);
        atomicStore(&missing, NONE);
    }
    return workgroupUniformLoad(&verdict);
}

/// The total of a block from those of its shares; of a block that is cut short, the scan of its last element.
fn total_of_block(half: u32, block: u32, lane: u32) -> T {
    let count = shares_of(block);
    var seen = Entry(false, T());
    if lane < count {
        seen = seek(share_total(half, block, lane));
    }
    let late = gather(seen, count, lane);
    for (var i = late; i < count; i = i + 1u) {
        if lane == 0u {
            let again = peek(share_total(half, block, i));
            nodes[GATHERED + i] = again.value;
            verdict = u32(again.ready);
        }
        if workgroupUniformLoad(&verdict) == 0u {
            let total = reduce_some_tiles(block * shares_in_block() + i, lane);
            if lane == 0u {
                nodes[GATHERED + i] = total;
            }
        }
    }
    grow_some(GATHERED, shares_in_block(), count, lane);
    return nodes[GATHERED];
}

/// Folds over what was gathered of the blocks from `first` on, whose number is `count`.
fn fold_gathered(first: u32, count: u32) {
    var total = running;
    var i = 0u;
    if first == 0u && count > 0u {
        total = nodes[GATHERED];
        i = 1u;
    }
    // Several loads at once: each alone takes longer than the combination.
    for (; i + 8u <= count; i = i + 8u) {
        let at = GATHERED + i;
        let a = nodes[at];
        let b = nodes[at + 1u];
        let c = nodes[at + 2u];
        let d = nodes[at + 3u];
        let e = nodes[at + 4u];
        let f = nodes[at + 5u];
        let g = nodes[at + 6u];
        let h = nodes[at + 7u];
        total = combine(combine(combine(combine(total, a), b), c), d);
        total = combine(combine(combine(combine(total, e), f), g), h);
    }
    for (; i < count; i = i + 1u) {
        total = combine(total, nodes[GATHERED + i]);
    }
    running = total;
}

/// Folds over the blocks from `begin` on, up to the first whose total does not come. Returns which that is, or how many
/// blocks there are.
fn fold_from(half: u32, begin: u32, lane: u32) -> u32 {
    let blocks = params.blocks_per_row;
    for (var first = begin; first < blocks; first = first + LANES) {
        let count = min(LANES, blocks - first);
        var seen = Entry(false, T());
        if lane < count {
            seen = seek(block_total(half, first + lane));
        }
        let come = min(gather(seen, count, lane), count);
        if lane == 0u {
            fold_gathered(first, come);
        }
        if come < count {
            return first + come;
        }
    }
    return blocks;
}

@compute @workgroup_size(LANES)
fn total(@builtin(workgroup_id) group: vec3<u32>, lane: Lane) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.tiles {
        return;
    }
    // The last share first: if it is cut short, it takes longer.
    let share = tile_of_ticket(select(slot, params.tiles, slot == 0u) - 1u);
    // Asked for before the elements are, and needed after them: nothing waits for it.
    var half = 0u;
    var used = vec2(0u);
    if lane.index < CLEARED {
        half = atomicLoad(&states[0]) >> 31u;
        used = vec2(atomicLoad(&states[1]), atomicLoad(&states[2]));
    }
    if lane.index == 0u {
        atomicStore(&missing, NONE);
    }
    var sum: T;
    if params.count / TILE >= (share + 1u) * params.share {
        sum = reduce_share(share, lane);
    } else {
        sum = reduce_some_tiles(share, lane.index);
    }

    var block = share / shares_in_block();
    var publishing = true;
    if lane.index < CLEARED {
        clear_used(select(used.x, used.y, half == 0u), half, share, params.tiles, lane.index);
    }
    if lane.index == 0u {
        let mine = share_total(half, block, share % shares_in_block());
        let early = counts_early(share);
        var counted = 0u;
        if early {
            counted = atomicAdd(&states[shares_counted(half, block)], 1u);
        }
        publishing = publishes(share);
        if publishing {
            publish(mine, sum);
        }
        if !early {
            counted = atomicAdd(&states[shares_counted(half, block)], 1u);
        }
        half_in_use = half;
        verdict = u32(counted + 1u == shares_of(block));
    }
    if workgroupUniformLoad(&verdict) == 0u {
        return;
    }
    half = half_in_use;

    // First the total of the share's own block; then, by whoever counts the last block, of those that do not come.
    var folding = false;
    loop {
        let block_sum = total_of_block(half, block, lane.index);
        if folding {
            if lane.index == 0u {
                if block == 0u {
                    running = block_sum;
                } else {
                    running = combine(running, block_sum);
                }
            }
            block = block + 1u;
        } else {
            if lane.index == 0u {
                if publishing {
                    publish(block_total(half, block), block_sum);
                }
                let counted = atomicAdd(&states[blocks_counted(half)], 1u) + 1u;
                verdict = u32(counted == params.blocks_per_row);
            }
            if workgroupUniformLoad(&verdict) == 0u {
                return;
            }
            folding = true;
            block = 0u;
        }
        block = fold_from(half, block, lane.index);
        if block == params.blocks_per_row {
            break;
        }
    }
    if lane.index == 0u {
        // All are counted: nobody of this dispatch asks for the half any more.
        atomicStore(&states[0], (half << 31u) ^ OTHER_HALF);
        atomicStore(&states[1u + half], params.blocks_per_row * RECORD);
        write_result(0u, send(running, In(), 0u));
    }
}
