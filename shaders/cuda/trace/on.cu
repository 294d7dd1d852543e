constexpr bool TRACE = true;

/// Writes out what shared memory holds in slot `i` when `round` begins. One tile only.
__device__ void trace(T* rounds, u32 round, u32 i, T value) {
    rounds[round * TILE + i] = value;
}
