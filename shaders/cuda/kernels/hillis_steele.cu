// Hillis & Steele (1986), "Data parallel algorithms": one element a lane; in each round every element takes in the
// one `offset` places to its left, and the offset doubles. Two buffers, so that a round reads only what the round
// before wrote.
extern "C" __global__ void __launch_bounds__(LANES) hillis_steele(
    Params params, const In* src, Out* dst, T* totals, T* prefixes, T* rounds) {
    __shared__ T line[2 * LANES];
    u32 lane = threadIdx.x;
    u32 slot = blockIdx.y * params.grid_x + blockIdx.x;
    if (slot >= params.tiles) {
        return;
    }
    u32 size = params.count - slot * TILE < TILE ? params.count - slot * TILE : TILE;
    u64 at = (u64)slot * TILE + lane;
    if (lane < size) {
        line[lane] = map_in(src[params.src_base + at]);
    }

    u32 here = 0;
    u32 round = 0;
    for (u32 offset = 1; offset < size; offset *= 2) {
        __syncthreads();
        u32 next = LANES - here;
        if (lane < size) {
            trace(rounds, round, lane, line[here + lane]);
            T value = line[here + lane];
            if (lane >= offset) {
                value = combine(line[here + lane - offset], value);
            }
            line[next + lane] = value;
        }
        here = next;
        ++round;
    }
    __syncthreads();

    if (lane < size) {
        trace(rounds, round, lane, line[here + lane]);
        T value = line[here + lane];
        if (EXCLUSIVE) {
            value = lane > 0 ? line[here + lane - 1] : identity();
        }
        dst[params.dst_base + at] = map_out(value);
        if (lane == size - 1) {
            totals[params.first_tile + slot] = line[here + lane];
        }
    }
}
