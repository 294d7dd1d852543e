// Three-pass scan, third pass; alone it is the single-tile scan. Each block scans a tile, then lifts it by the left
// siblings that its number names among the tiles of its 2^18 elements, then by the prefix of those.
extern "C" __global__ void __launch_bounds__(LANES) scan(
    Params params, const In* src, Out* dst, T* totals, T* prefixes, T* rounds) {
    extern __shared__ uint4 stages[];
    __shared__ T warp_totals[WARPS];
    __shared__ WarpTree tree;
    __shared__ Siblings siblings;
    __shared__ T prefix;
    u32 slot = blockIdx.y * params.grid_x + blockIdx.x;
    if (slot >= params.tiles) {
        return;
    }
    u32 tile = params.first_tile + slot;
    u32 block = tile / TILES_PER_BLOCK;
    u32 place = tile % TILES_PER_BLOCK;
    u32 warp = threadIdx.x / WARP;
    u32 rank = threadIdx.x % WARP;

    fetch_tile(stages, src, params, slot * (TILE / 4));
    if (warp == 0) {
        if (place > 0) {
            Leaves leaves;
#pragma unroll
            for (u32 c = 0; c < CHUNKS; ++c) {
                u32 leaf = c * WARP + rank;
                leaves.total[c] = T();
                if (leaf < place) {
                    leaves.total[c] = totals[tile - place + leaf];
                }
            }
            find_siblings(&siblings, leaves, place, rank);
        }
        if (rank == 0 && block > 0) {
            prefix = prefixes[block];
        }
    }
    WAIT_FOR_COPIES(0);
    Quads quads = scan_run(staged(stages), rank);
    if (rank == WARP - 1) {
        warp_totals[warp] = quads.quad[QUADS - 1].w;
    }
    __syncthreads();
    if (warp == 0) {
        grow_warps(&tree, warp_totals, rank);
    }
    __syncthreads();
    quads = finish_run(quads, warp, rank, &tree, place, &siblings, block > 0, &prefix);
    store_tile(dst, params, slot * (TILE / 4), quads);
}
