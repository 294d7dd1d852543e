// Input and output element by element: for ranges that start anywhere. `params.src_base` and `params.dst_base`
// count elements.
struct OutQuad {
    Out x, y, z, w;
};

/// Copies the first `elements` of a quad; nothing beyond them is touched.
__device__ void fetch_quad(uint4* stage, const In* src, Params params, u32 quad, u32 elements) {
    const u32* source = (const u32*)(src + (u64)params.src_base + 4 * (u64)quad);
    constexpr u32 IN_WORDS = sizeof(In) / sizeof(u32);
#pragma unroll
    for (u32 i = 0; i < 4 * IN_WORDS; ++i) {
        bool there = i < elements * IN_WORDS;
        u32* target = (u32*)(stage + i / 4 * LANES) + i % 4;
        copy_4(target, there ? source + i : source, there ? 4 : 0);
    }
}

/// Writes the first `elements` of a quad.
__device__ void store_quad(Out* dst, Params params, u32 quad, OutQuad values, u32 elements) {
    Out* at = dst + (u64)params.dst_base + 4 * (u64)quad;
    if (elements > 0) at[0] = values.x;
    if (elements > 1) at[1] = values.y;
    if (elements > 2) at[2] = values.z;
    if (elements > 3) at[3] = values.w;
}
