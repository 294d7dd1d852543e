// Single-pass scan with decoupled look-back (D. Merrill and M. Garland, 2016) in the canonical order, as a pipeline.
// Tiles are claimed by ticket, so that every tile before a claimed one is claimed by a block that runs: all it waits
// for comes. A block has three tiles in hand: one on its way into shared memory; one that is there and is reduced, so
// that its total can be published; one that is scanned and stored. An extra warp looks back meanwhile: it finds what
// precedes a tile while the others store the tile before it, so its waits cost nothing.
//
// A tile waits for totals of tiles only: its own block of 2^18 elements, and those between it and the nearest known
// prefix of a block. The input is read once, before anything is stored in its place.
constexpr u32 STAGES = 3;
/// Claims in hand: a tile's number is kept from its claim until it is stored.
constexpr u32 CLAIMS = 8;
constexpr u32 NONE = 0xffffffffu;
/// Blocks whose tiles' totals are asked for at once.
constexpr u32 BATCH = CHUNKS < 8 ? 8 / CHUNKS : 1;

struct Found {
    WarpTree warps;
    Siblings siblings;
    T prefix;
};

/// Entries: totals of tiles, then the prefixes of blocks from the second on.
__device__ u32 prefix_entry(Params params, u32 block) {
    return params.tiles + block - 1;
}

__device__ u32 entries(Params params) {
    return params.tiles + (params.tiles - 1) / TILES_PER_BLOCK;
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

/// What lane i sees of the prefix of `block` - i.
__device__ Look look_for_prefix(States states, Params params, const T* carries, u32 block, u32 rank) {
    u32 here = block - at_most(rank, block);
    Look look = look_at(states, prefix_entry(params, here > 0 ? here : 1));
    if (here == 0) {
        // Nothing precedes block 0 but what an earlier piece carried over.
        look.ready = true;
        if (params.piece > 0) {
            look.value = carries[params.piece];
        }
    }
    return look;
}

/// The prefix of `block`, which has one, after a first look. The whole warp calls it.
__device__ T look_back(States states, Params params, const T* carries, u32 block, u32 rank, Look look) {
    // One of the prefixes in sight comes: that of the farthest block waits for none of the others.
    u32 known = __ballot_sync(0xffffffffu, look.ready);
    while (known == 0) {
        look = look_for_prefix(states, params, carries, block, rank);
        known = __ballot_sync(0xffffffffu, look.ready);
    }
    u32 back = __ffs(known) - 1;
    T prefix = shuffle(look.value, back);
    // Block 0 has no prefix: the fold begins with its total.
    bool begins = back == block && params.piece == 0;

    for (u32 first = block - back; first < block; first += BATCH) {
        Look looks[BATCH][CHUNKS];
#pragma unroll
        for (u32 b = 0; b < BATCH; ++b) {
            u32 tile = at_most(first + b, block - 1) * TILES_PER_BLOCK + rank % CHUNK;
#pragma unroll
            for (u32 c = 0; c < CHUNKS; ++c) {
                looks[b][c] = look_at(states, tile + c * WARP);
            }
        }
#pragma unroll
        for (u32 b = 0; b < BATCH; ++b) {
            if (first + b < block) {
                u32 tile = (first + b) * TILES_PER_BLOCK + rank % CHUNK;
                Leaves leaves;
#pragma unroll
                for (u32 c = 0; c < CHUNKS; ++c) {
                    leaves.total[c] = await(states, tile + c * WARP, looks[b][c]);
                }
                __syncwarp();
                T total = total_of_block(leaves, rank);
                prefix = begins ? total : combine(prefix, total);
                begins = false;
            }
        }
    }
    return prefix;
}

/// Publishes a tile's total, and finds what precedes it. One whole warp calls it.
__device__ void find(
    Found* found, States states, Params params, T* carries, u32 tile, const T* warp_totals, u32 rank) {
    T total = grow_warps(&found->warps, warp_totals, rank);
    if (rank == 0) {
        publish(states, tile, total);
    }
    u32 block = tile / TILES_PER_BLOCK;
    u32 place = tile % TILES_PER_BLOCK;
    bool has_prefix = block > 0 || params.piece > 0;
    Look look = look_for_prefix(states, params, carries, block, rank);
    if (place > 0) {
        Leaves leaves = await_leaves(states, tile - place, place, rank);
        find_siblings(&found->siblings, leaves, place, rank);
    }
    T prefix = T();
    if (has_prefix) {
        prefix = look_back(states, params, carries, block, rank, look);
    }
    if (rank == 0) {
        if (has_prefix) {
            found->prefix = prefix;
        }
        if (block > 0 && place == 0) {
            publish(states, prefix_entry(params, block), prefix);
        }
        if (tile == params.tiles - 1 && place == TILES_PER_BLOCK - 1) {
            // Each level has a left sibling: the block's total, as another tile would have it from the leaves.
#pragma unroll
            for (u32 level = 0; level < LOG_TILES_PER_BLOCK; ++level) {
                total = combine(found->siblings.left[level], total);
            }
            carries[params.piece + 1] = has_prefix ? combine(prefix, total) : total;
        }
    }
}

extern "C" __global__ void __launch_bounds__(LANES + WARP, BLOCKS_AT_ONCE) single_pass(
    Params params, const In* src, Out* dst, T* states_memory, T* carries, T* rounds) {
    extern __shared__ uint4 stages[];
    __shared__ Found found[2];
    __shared__ T warp_totals[2][WARPS];
    __shared__ u32 tiles[CLAIMS];
    __shared__ u32 epoch;

    u32 lane = threadIdx.x;
    u32 warp = lane / WARP;
    u32 rank = lane % WARP;
    char* memory = (char*)states_memory;
    // With as many blocks as tiles each takes one; else each goes on until there is none left for it.
    bool one_each = params.tiles <= gridDim.x;
    u32 claims = one_each ? params.tiles : params.tiles + gridDim.x;
    bool claiming = lane == LANES;

    if (claiming) {
        Claim claim = claim_tile(memory, claims, entries(params));
        bool there = claim.tile < params.tiles;
        tiles[0] = there ? claim.tile : NONE;
        epoch = claim.epoch;
        claiming = there && !one_each;
    }
    __syncthreads();
    States states = {memory, epoch};
    if (warp < WARPS && tiles[0] != NONE) {
        fetch_tile(stages, src, params, tiles[0] * (TILE / 4));
    }
    if (lane == LANES) {
        tiles[1] = NONE;
        tiles[2] = NONE;
        for (u32 k = 1; k < STAGES && claiming; ++k) {
            u32 tile = claim_tile(memory, claims, entries(params)).tile;
            claiming = tile < params.tiles;
            tiles[k] = claiming ? tile : NONE;
        }
    }
    __syncthreads();
    if (warp < WARPS) {
        if (tiles[1] != NONE) {
            fetch_tile(stages + STAGE, src, params, tiles[1] * (TILE / 4));
        } else {
            commit_copies();
        }
    }

    // Round k reduces tile k and stores tile k - 1.
    for (u32 k = 0; k == 0 || tiles[(k - 1) % CLAIMS] != NONE; ++k) {
        u32 tile = tiles[k % CLAIMS];
        if (warp < WARPS && tile != NONE) {
            WAIT_FOR_COPIES(1);
            T total = reduce_run(staged(stages + k % STAGES * STAGE), rank);
            if (rank == 0) {
                warp_totals[k % 2][warp] = total;
            }
        }
        __syncthreads();
        if (warp == WARPS) {
            u32 next = NONE;
            if (claiming) {
                next = claim_tile(memory, claims, entries(params)).tile;
            }
            if (tile != NONE) {
                find(&found[k % 2], states, params, carries, tile, warp_totals[k % 2], rank);
            }
            if (lane == LANES) {
                claiming = claiming && next < params.tiles;
                tiles[(k + STAGES) % CLAIMS] = claiming ? next : NONE;
            }
        } else {
            if (k > 0) {
                u32 stored = tiles[(k - 1) % CLAIMS];
                const Found* before = &found[(k - 1) % 2];
                bool has_prefix = stored >= TILES_PER_BLOCK || params.piece > 0;
                Quads quads = scan_run(staged(stages + (k - 1) % STAGES * STAGE), rank);
                quads = finish_run(
                    quads, warp, rank, &before->warps, stored % TILES_PER_BLOCK, &before->siblings, has_prefix,
                    &before->prefix);
                store_tile(dst, params, stored * (TILE / 4), quads);
            }
            u32 next = tiles[(k + 2) % CLAIMS];
            if (next != NONE) {
                fetch_tile(stages + (k + 2) % STAGES * STAGE, src, params, next * (TILE / 4));
            } else {
                commit_copies();
            }
        }
    }
}
