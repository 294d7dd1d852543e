// Three-pass scan, first pass: the total of every whole tile.
extern "C" __global__ void __launch_bounds__(LANES) reduce(
    Params params, const In* src, Out* dst, T* totals, T* prefixes, T* rounds) {
    extern __shared__ uint4 stages[];
    __shared__ T warp_totals[WARPS];
    __shared__ WarpTree tree;
    u32 slot = blockIdx.y * params.grid_x + blockIdx.x;
    if (slot >= params.tiles) {
        return;
    }
    u32 rank = threadIdx.x % WARP;
    fetch_tile(stages, src, params, slot * (TILE / 4));
    WAIT_FOR_COPIES(0);
    T total = reduce_run(staged(stages), rank);
    if (rank == 0) {
        warp_totals[threadIdx.x / WARP] = total;
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        total = grow_warps(&tree, warp_totals, rank);
        if (rank == 0) {
            totals[params.first_tile + slot] = total;
        }
    }
}
