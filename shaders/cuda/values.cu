// Values of any plain type of 32-bit words, moved between the lanes of a warp.
constexpr u32 WARP = 32;
constexpr u32 WARPS = LANES / WARP;
constexpr u32 WORDS = sizeof(T) / sizeof(u32);

static_assert(sizeof(T) % sizeof(u32) == 0, "a value is made of 32-bit words");

union Words {
    T value;
    u32 word[WORDS];
};

/// The value that lane `source` of this warp holds. The whole warp calls it.
__device__ T shuffle(T value, u32 source) {
    Words words;
    words.value = value;
#pragma unroll
    for (u32 i = 0; i < WORDS; ++i) {
        words.word[i] = __shfl_sync(0xffffffffu, words.word[i], source);
    }
    return words.value;
}

/// The two halves of a node, whichever of them this lane holds: `distance` says how far the other lane is.
__device__ T combine_across(T mine, u32 rank, u32 distance) {
    T other = shuffle(mine, rank ^ distance);
    return (rank & distance) != 0 ? combine(other, mine) : combine(mine, other);
}

/// Whether the subtree of 2^level leaves that holds `leaf` has a left sibling.
__device__ bool has_left(u32 leaf, u32 level) {
    return ((leaf >> level) & 1u) == 1u;
}
