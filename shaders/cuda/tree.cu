// The levels of the canonical tree between the warps of a tile, and between the tiles of a block.

/// The totals of a tile's warps, level over level: WARPS of one, half as many of two, and so on.
struct WarpTree {
    T node[2 * WARPS];
};

/// Where node `i` of `level` lies.
__device__ constexpr u32 warp_node(u32 level, u32 i) {
    return 2 * WARPS - ((2 * WARPS) >> level) + i;
}

/// Fills in `tree` from the totals of the warps, and returns the tile's total. One whole warp calls it.
__device__ T grow_warps(WarpTree* tree, const T* totals, u32 rank) {
    T total = totals[rank % WARPS];
    u32 level = 0;
#pragma unroll
    for (u32 width = 1; width < WARPS; width *= 2) {
        if (rank < WARPS && rank % width == 0) {
            tree->node[warp_node(level, rank / width)] = total;
        }
        total = combine_across(total, rank, width);
        ++level;
    }
    return total;
}

/// Leaves that a lane holds of the tree over a block's tiles: leaf 32 · c + lane.
constexpr u32 CHUNKS = TILES_PER_BLOCK > WARP ? TILES_PER_BLOCK / WARP : 1;
constexpr u32 CHUNK = TILES_PER_BLOCK > WARP ? WARP : TILES_PER_BLOCK;

struct Leaves {
    T total[CHUNKS];
};

/// The left siblings of a tile in its block, smallest first, and what comes before the tile.
struct Siblings {
    T left[LOG_TILES_PER_BLOCK + 1];
    /// The scan inside the block of the last element before the tile, if there is one.
    T before;
};

/// Finds them for tile `place`, where leaves before it are filled in. One whole warp calls it, `place` > 0.
__device__ void find_siblings(Siblings* siblings, Leaves leaves, u32 place, u32 rank) {
    u32 last = place - 1;
    T own[LOG_TILES_PER_BLOCK + 1];
    T of_last[LOG_TILES_PER_BLOCK + 1];
    T before = leaves.total[0];
#pragma unroll
    for (u32 c = 0; c < CHUNKS; ++c) {
        T total = leaves.total[c];
        if (EXCLUSIVE && c == last / WARP) {
            before = shuffle(total, last % WARP);
        }
        u32 level = 0;
#pragma unroll
        for (u32 width = 1; width < CHUNK; width *= 2) {
            if (c == place / WARP) {
                own[level] = shuffle(total, (((place % WARP) / width) ^ 1) * width % WARP);
            }
            if (EXCLUSIVE && c == last / WARP) {
                of_last[level] = shuffle(total, (((last % WARP) / width) ^ 1) * width % WARP);
            }
            total = combine_across(total, rank, width);
            ++level;
        }
        leaves.total[c] = total;
    }
    // The levels between chunks: each node's total at its first chunk.
    u32 level = LOG_CHUNK;
#pragma unroll
    for (u32 width = 1; width < CHUNKS; width *= 2) {
#pragma unroll
        for (u32 c = 0; c < CHUNKS; c += width) {
            T node = leaves.total[c];
            if (c == ((place / WARP / width) ^ 1) * width) {
                own[level] = node;
            }
            if (EXCLUSIVE && c == ((last / WARP / width) ^ 1) * width) {
                of_last[level] = node;
            }
        }
#pragma unroll
        for (u32 c = 0; c < CHUNKS; c += 2 * width) {
            leaves.total[c] = combine(leaves.total[c], leaves.total[c + width]);
        }
        ++level;
    }
#pragma unroll
    for (u32 l = 0; l < LOG_TILES_PER_BLOCK; ++l) {
        if (EXCLUSIVE && has_left(last, l)) {
            before = combine(of_last[l], before);
        }
        if (rank == 0) {
            siblings->left[l] = own[l];
        }
    }
    if (rank == 0) {
        siblings->before = before;
    }
}

/// The total of a whole block. One whole warp calls it.
__device__ T total_of_block(Leaves leaves, u32 rank) {
#pragma unroll
    for (u32 c = 0; c < CHUNKS; ++c) {
#pragma unroll
        for (u32 width = 1; width < CHUNK; width *= 2) {
            leaves.total[c] = combine_across(leaves.total[c], rank, width);
        }
    }
#pragma unroll
    for (u32 width = 1; width < CHUNKS; width *= 2) {
#pragma unroll
        for (u32 c = 0; c < CHUNKS; c += 2 * width) {
            leaves.total[c] = combine(leaves.total[c], leaves.total[c + width]);
        }
    }
    return shuffle(leaves.total[0], 0);
}

/// A scanned run with all before it combined in, moved on by one place if the scan is exclusive: the warps
/// before it in its tile, the tiles before that in their block (`place` of them), the prefix of the block.
__device__ Quads finish_run(
    Quads quads, u32 warp, u32 rank, const WarpTree* tree, u32 place, const Siblings* siblings, bool has_prefix,
    const T* prefix) {
#pragma unroll
    for (u32 level = 0; (WARPS >> level) > 1; ++level) {
        if (has_left(warp, level)) {
            quads = lift_all(tree->node[warp_node(level, (warp >> level) ^ 1)], quads);
        }
    }
#pragma unroll
    for (u32 level = 0; level < LOG_TILES_PER_BLOCK; ++level) {
        if (has_left(place, level)) {
            quads = lift_all(siblings->left[level], quads);
        }
    }
    if (has_prefix) {
        quads = lift_all(*prefix, quads);
    }
    if (!EXCLUSIVE) {
        return quads;
    }
    // The inclusive result of the last element before the run.
    T entering = identity();
    if (warp > 0) {
        u32 last = warp - 1;
        entering = tree->node[warp_node(0, last)];
#pragma unroll
        for (u32 level = 0; (WARPS >> level) > 1; ++level) {
            if (has_left(last, level)) {
                entering = combine(tree->node[warp_node(level, (last >> level) ^ 1)], entering);
            }
        }
#pragma unroll
        for (u32 level = 0; level < LOG_TILES_PER_BLOCK; ++level) {
            if (has_left(place, level)) {
                entering = combine(siblings->left[level], entering);
            }
        }
    } else if (place > 0) {
        entering = siblings->before;
    }
    if (has_prefix) {
        entering = warp > 0 || place > 0 ? combine(*prefix, entering) : *prefix;
    }
    return shift_run(quads, entering, rank);
}
