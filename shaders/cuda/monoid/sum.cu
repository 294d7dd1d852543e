// Sum: wrapping for integers, plain rounding for floats.
__device__ T identity() {
    return T(0);
}

__device__ T combine(T left, T right) {
    return left + right;
}
