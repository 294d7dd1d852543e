// Single-pass scan with decoupled look-back (D. Merrill and M. Garland, 2016) in the canonical order, as a pipeline.
// Tiles are claimed by ticket, so that every tile before a claimed one is claimed by a block that runs: all it waits
// for comes. A block has three tiles in shared memory: one on its way there; one that is reduced, its total published;
// one that waits for what precedes it. A fourth is in registers, scanned, to be stored as soon as that is found.
// Two extra warps look back in turns, so each has two rounds to find what precedes its tile, and the waits cost nothing.
//
// A tile gathers the totals of those before it in its 2^18 elements; the last of them publishes the total of all, and
// the prefix of what follows. For the prefix of its own it looks back over 32 of them for the nearest that is known,
// and folds the totals from there. The input is read once, before anything is stored in its place.
constexpr u32 STAGES = 3;
/// Tiles that are claimed before the one that is reduced: where their numbers are written, a barrier comes before
/// they are read.
constexpr u32 AHEAD = STAGES + 1;
/// Numbers in hand: each is kept from its claim until its tile is stored.
constexpr u32 CLAIMS = 8;
/// Tiles of which totals and what was found are kept: until the round after the one that stores it.
constexpr u32 RING = 4;
/// Warps that look back, in turns.
constexpr u32 LOOKERS = 2;
constexpr u32 NONE = 0xffffffffu;

struct Found {
    WarpTree warps;
    Siblings siblings;
    T prefix;
};

// Entries: totals of tiles; then for each whole block its total, and the prefix of the next.
__device__ u32 total_entry(Params params, u32 block) {
    return params.tiles + 2 * block;
}

__device__ u32 entries(Params params) {
    return params.tiles + 2 * params.blocks;
}

/// A first look at a tile's total, which does not wait for the answer.
struct Look {
    T value;
    bool ready;
};

__device__ Look look_at(States states, u32 entry) {
    Look look;
    look.ready = peek(states, entry, &look.value);
    return look;
}

__device__ T await(States states, u32 entry, Look look) {
    while (!look.ready) {
        look = look_at(states, entry);
    }
    return look.value;
}

/// The totals of the first `count` > 0 tiles of a block that begins with tile `first`. The whole warp calls it.
__device__ Leaves await_leaves(States states, u32 first, u32 count, u32 rank) {
    Look looks[CHUNKS];
#pragma unroll
    for (u32 c = 0; c < CHUNKS; ++c) {
        looks[c] = look_at(states, first + at_most(c * WARP + rank, count - 1));
    }
    Leaves leaves;
#pragma unroll
    for (u32 c = 0; c < CHUNKS; ++c) {
        leaves.total[c] = await(states, first + at_most(c * WARP + rank, count - 1), looks[c]);
    }
    __syncwarp();
    return leaves;
}

/// The prefix of `block`, which has one. The whole warp calls it.
__device__ T look_back(States states, Params params, const T* carries, u32 block, u32 rank) {
    // Lane i looks at the prefix of block - i, and at the total of the block before that.
    Look total, prefix;
    u32 back;
    while (true) {
        total.ready = prefix.ready = false;
        if (rank < block) {
            u32 entry = total_entry(params, block - rank - 1);
            total = look_at(states, entry);
            prefix = look_at(states, entry + 1);
        } else if (rank == block) {
            // Nothing precedes block 0 but what an earlier piece carried over.
            prefix.ready = true;
            if (params.piece > 0) {
                prefix.value = carries[params.piece];
            }
        }
        u32 known = __ballot_sync(0xffffffffu, prefix.ready);
        u32 there = __ballot_sync(0xffffffffu, total.ready);
        back = __ffs(known) - 1;
        u32 needed = (1u << (back & 31)) - 1;
        if (known != 0 && (there & needed) == needed) {
            break;
        }
    }
    T result = shuffle(prefix.value, back);
    // Block 0 has no prefix: the fold begins with its total.
    bool begins = back == block && params.piece == 0;
    for (u32 i = back; i > 0; --i) {
        T next = shuffle(total.value, i - 1);
        result = begins ? next : combine(result, next);
        begins = false;
    }
    return result;
}

/// Finds what precedes a tile, whose total was published. One whole warp calls it.
__device__ void find(Found* found, States states, Params params, T* carries, u32 tile, T total, u32 rank) {
    u32 block = tile / TILES_PER_BLOCK;
    u32 place = tile % TILES_PER_BLOCK;
    if (place > 0) {
        Leaves leaves = await_leaves(states, tile - place, place, rank);
        find_siblings(&found->siblings, leaves, place, rank);
    }
    bool closes = block < params.blocks && place == TILES_PER_BLOCK - 1;
    if (closes && rank == 0) {
        // Each level has a left sibling.
#pragma unroll
        for (u32 level = 0; level < LOG_TILES_PER_BLOCK; ++level) {
            total = combine(found->siblings.left[level], total);
        }
        publish(states, total_entry(params, block), total);
    }
    bool has_prefix = block > 0 || params.piece > 0;
    T prefix = T();
    if (has_prefix) {
        prefix = look_back(states, params, carries, block, rank);
    }
    if (rank == 0) {
        found->prefix = prefix;
    }
    if (closes && rank == 0) {
        T next = has_prefix ? combine(prefix, total) : total;
        publish(states, total_entry(params, block) + 1, next);
        if (tile == params.tiles - 1) {
            carries[params.piece + 1] = next;
        }
    }
}

/// The number of the tile that a ticket is for, or NONE; `left` counts the tickets that this block may still take.
__device__ u32 tile_of(Ticket ticket, char* memory, Params params, u32* left, u32 all) {
    if (ticket.count == 0) {
        return NONE;
    }
    *left -= ticket.count;
    u32 tile = use_ticket(ticket, memory, all, entries(params)).tile;
    if (tile < params.tiles) {
        return tile;
    }
    if (*left > 0) {
        use_ticket(take_tickets(memory, *left), memory, all, entries(params));
        *left = 0;
    }
    return NONE;
}

/// Waits for the lanes that move elements, all but the extra warps'.
__device__ void wait_for_movers() {
    asm volatile("bar.sync 1, %0;" ::"n"(LANES) : "memory");
}

// A tile's total is there: the first warp says so, and the warp that looks back for this tile waits for it.
__device__ void announce_total(u32 k) {
    asm volatile("bar.arrive %0, %1;" ::"r"(2 + k % RING), "n"(2 * WARP) : "memory");
}

__device__ void wait_for_total(u32 k) {
    asm volatile("bar.sync %0, %1;" ::"r"(2 + k % RING), "n"(2 * WARP) : "memory");
}

// What precedes a tile is found: the warp that looked back says so, and all that move elements wait for it.
__device__ void announce_found(u32 k) {
    asm volatile("bar.arrive %0, %1;" ::"r"(2 + RING + k % RING), "n"(LANES + WARP) : "memory");
}

__device__ void wait_for_found(u32 k) {
    asm volatile("bar.sync %0, %1;" ::"r"(2 + RING + k % RING), "n"(LANES + WARP) : "memory");
}

extern "C" __global__ void __launch_bounds__(LANES + LOOKERS * WARP, BLOCKS_AT_ONCE) single_pass(
    Params params, const In* src, Out* dst, T* states_memory, T* carries, T* rounds) {
    extern __shared__ uint4 stages[];
    __shared__ Found found[RING];
    __shared__ T totals[RING];
    __shared__ T warp_totals[2][WARPS];
    __shared__ u32 tiles[CLAIMS];
    __shared__ u32 epoch;

    u32 lane = threadIdx.x;
    u32 warp = lane / WARP;
    u32 rank = lane % WARP;
    bool moves = warp < WARPS;
    bool claims = lane == LANES - WARP;
    char* memory = (char*)states_memory;
    // Each block takes as many tickets, so that each has as much to do; those that are left over name no tile.
    u32 left = (params.tiles - 1) / gridDim.x + 1;
    u32 all = left * gridDim.x;

    if (claims) {
        Claim first = use_ticket(take_tickets(memory, 1), memory, all, entries(params));
        tiles[0] = first.tile < params.tiles ? first.tile : NONE;
        epoch = first.epoch;
        --left;
    }
    __syncthreads();
    States states = {memory, epoch};
    if (moves && tiles[0] != NONE) {
        fetch_tile(stages, src, params, tiles[0] * (TILE / 4));
    }
    if (claims) {
        for (u32 k = 1; k < AHEAD; ++k) {
            tiles[k] = tile_of(take_tickets(memory, left > 0), memory, params, &left, all);
        }
    }
    __syncthreads();

    if (!moves) {
        for (u32 k = warp - WARPS; tiles[k % CLAIMS] != NONE; k += LOOKERS) {
            u32 tile = tiles[k % CLAIMS];
            wait_for_total(k);
            find(&found[k % RING], states, params, carries, tile, totals[k % RING], rank);
            __syncwarp();
            announce_found(k);
        }
        return;
    }

    for (u32 k = 1; k < STAGES; ++k) {
        if (tiles[k] != NONE) {
            fetch_tile(stages + k * STAGE, src, params, tiles[k] * (TILE / 4));
        } else {
            commit_copies();
        }
    }
    // Round k reduces tile k, stores tile k - 2, and scans what a warp has of tile k - 1.
    Quads quads;
    for (u32 k = 0; k < 2 || tiles[(k - 2) % CLAIMS] != NONE; ++k) {
        u32 tile = tiles[k % CLAIMS];
        // Nobody waits for the answer before the end of the round.
        Ticket ticket = {};
        if (claims) {
            ticket = take_tickets(memory, left > 0);
        }
        if (tile != NONE) {
            if (k == 0) {
                WAIT_FOR_COPIES(STAGES - 1);
            } else {
                WAIT_FOR_COPIES(STAGES - 2);
            }
            T total = reduce_run(staged(stages + k % STAGES * STAGE), rank);
            if (rank == 0) {
                warp_totals[k % 2][warp] = total;
            }
        }
        wait_for_movers();
        // Published before anything is waited for, so that no wait is longer than it must be.
        if (warp == 0 && tile != NONE) {
            T total = grow_warps(&found[k % RING].warps, warp_totals[k % 2], rank);
            if (rank == 0) {
                publish(states, tile, total);
                totals[k % RING] = total;
            }
            __syncwarp();
            announce_total(k);
        }
        if (k >= 2) {
            wait_for_found(k - 2);
            u32 stored = tiles[(k - 2) % CLAIMS];
            const Found* before = &found[(k - 2) % RING];
            bool has_prefix = stored >= TILES_PER_BLOCK || params.piece > 0;
            quads = finish_run(
                quads, warp, rank, &before->warps, stored % TILES_PER_BLOCK, &before->siblings, has_prefix,
                &before->prefix);
            store_tile(dst, params, stored * (TILE / 4), quads);
        }
        if (k >= 1 && tiles[(k - 1) % CLAIMS] != NONE) {
            quads = scan_run(staged(stages + (k - 1) % STAGES * STAGE), rank);
            u32 next = tiles[(k + STAGES - 1) % CLAIMS];
            if (next != NONE) {
                fetch_tile(stages + (k - 1) % STAGES * STAGE, src, params, next * (TILE / 4));
            } else {
                commit_copies();
            }
        }
        if (claims) {
            tiles[(k + AHEAD) % CLAIMS] = tile_of(ticket, memory, params, &left, all);
        }
    }
}
