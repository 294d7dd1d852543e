constexpr bool TRACE = false;

__device__ void trace(T* rounds, u32 round, u32 i, T value) {
}
