// Blelloch (1990), "Prefix sums and their applications": an up-sweep builds a tree of sums in place, its root is
// cleared, and a down-sweep hands every node the sum of all that lies left of it. Two elements a lane; every 32nd
// slot is left empty, so that strides of powers of two do not meet in one memory bank.
constexpr u32 LOG_BANKS = 5;

__device__ u32 padded(u32 i) {
    return i + (i >> LOG_BANKS);
}

/// Between rounds, when every lane's writes are in: shows the tree as it stands.
__device__ void trace_tree(T* rounds, const T* sums, u32 round, u32 lane, u32 size) {
    for (u32 i = lane; i < size; i += LANES) {
        trace(rounds, round, i, sums[padded(i)]);
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(LANES) blelloch(
    Params params, const In* src, Out* dst, T* totals, T* prefixes, T* rounds) {
    __shared__ T sums[TILE + (TILE >> LOG_BANKS)];
    u32 lane = threadIdx.x;
    u32 slot = blockIdx.y * params.grid_x + blockIdx.x;
    if (slot >= params.tiles) {
        return;
    }
    u64 at = (u64)slot * TILE;
    u32 present = params.count - at < TILE ? params.count - at : TILE;
    // The tree covers the next power of two; identities fill it up.
    u32 size = 1;
    while (size < present) {
        size *= 2;
    }
    for (u32 i = lane; i < size; i += LANES) {
        sums[padded(i)] = i < present ? map_in(src[params.src_base + at + i]) : identity();
    }

    u32 round = 0;
    for (u32 offset = 1; offset < size; offset *= 2) {
        __syncthreads();
        if (TRACE) {
            trace_tree(rounds, sums, round, lane, size);
        }
        u32 right = 2 * offset * (lane + 1) - 1;
        if (right < size) {
            sums[padded(right)] = combine(sums[padded(right - offset)], sums[padded(right)]);
        }
        ++round;
    }
    __syncthreads();
    if (TRACE) {
        trace_tree(rounds, sums, round, lane, size);
    }
    if (lane == 0) {
        totals[params.first_tile + slot] = sums[padded(size - 1)];
        sums[padded(size - 1)] = identity();
    }
    ++round;

    for (u32 offset = size / 2; offset > 0; offset /= 2) {
        __syncthreads();
        if (TRACE) {
            trace_tree(rounds, sums, round, lane, size);
        }
        u32 right = 2 * offset * (lane + 1) - 1;
        if (right < size) {
            T total_of_left = sums[padded(right - offset)];
            sums[padded(right - offset)] = sums[padded(right)];
            sums[padded(right)] = combine(sums[padded(right)], total_of_left);
        }
        ++round;
    }
    __syncthreads();
    if (TRACE) {
        trace_tree(rounds, sums, round, lane, size);
    }

    for (u32 i = lane; i < present; i += LANES) {
        T value = sums[padded(i)];
        if (!EXCLUSIVE) {
            value = combine(value, map_in(src[params.src_base + at + i]));
        }
        dst[params.dst_base + at + i] = map_out(value);
    }
}
