// Three-pass scan, second pass, one block: the total of every whole block of 2^18 elements from its tiles' totals,
// then the left fold over them. `prefixes[b]` becomes the combination of blocks 0..b; `prefixes[0]` is never
// written, for nothing lies before block 0.

/// The total of `count` leaves, a power of two: each new leaf closes as many nodes as its number ends in ones.
__device__ T total_of_leaves(const T* leaves) {
    T open[LOG_TILES_PER_BLOCK + 1];
    for (u32 i = 0; i < TILES_PER_BLOCK; ++i) {
        T node = leaves[i];
        u32 level = 0;
        for (; has_left(i, level); ++level) {
            node = combine(open[level], node);
        }
        open[level] = node;
    }
    return open[LOG_TILES_PER_BLOCK];
}

extern "C" __global__ void __launch_bounds__(LANES) fold(
    Params params, const In* src, Out* dst, T* totals, T* prefixes, T* rounds) {
    __shared__ T sums[LANES];
    u32 lane = threadIdx.x;
    T running = T();
    for (u32 first = 0; first < params.blocks; first += LANES) {
        u32 block = first + lane;
        if (block < params.blocks) {
            sums[lane] = total_of_leaves(totals + (u64)block * TILES_PER_BLOCK);
        }
        __syncthreads();
        if (lane == 0) {
            u32 here = params.blocks - first < LANES ? params.blocks - first : LANES;
            for (u32 i = 0; i < here; ++i) {
                running = first + i == 0 ? sums[i] : combine(running, sums[i]);
                sums[i] = running;
            }
        }
        __syncthreads();
        if (block < params.blocks) {
            prefixes[block + 1] = sums[lane];
        }
        __syncthreads();
    }
}
