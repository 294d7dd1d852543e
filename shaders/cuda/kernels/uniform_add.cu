// The last pass of the textbook algorithms: every element of a tile takes in the sum of all tiles before it. Nothing
// lies before tile 0.
extern "C" __global__ void __launch_bounds__(LANES) uniform_add(
    Params params, const In* src, Out* dst, T* totals, T* prefixes, T* rounds) {
    u32 slot = blockIdx.y * params.grid_x + blockIdx.x;
    u32 tile = params.first_tile + slot;
    if (slot >= params.tiles || tile == 0) {
        return;
    }
    T sum = totals[tile];
    u64 at = (u64)slot * TILE;
    u32 present = params.count - at < TILE ? params.count - at : TILE;
    for (u32 i = threadIdx.x; i < present; i += LANES) {
        T* place = (T*)dst + params.dst_base + at + i;
        *place = combine(sum, *place);
    }
}
