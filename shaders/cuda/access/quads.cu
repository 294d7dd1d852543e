// Input and output as whole quads: both start on 16 bytes. `params.src_base` and `params.dst_base` count quads.
constexpr u32 OUT_CHUNKS = sizeof(Out) / sizeof(u32);

struct OutQuad {
    Out x, y, z, w;
};

union OutChunks {
    OutQuad quad;
    uint4 chunk[OUT_CHUNKS];
    Out element[4];
};

/// Copies the first `elements` of a quad; nothing beyond them is touched.
__device__ void fetch_quad(uint4* stage, const In* src, Params params, u32 quad, u32 elements) {
    const uint4* source = (const uint4*)src + (u64)(params.src_base + quad) * (sizeof(In) / sizeof(u32));
    u32 bytes = elements * sizeof(In);
#pragma unroll
    for (u32 c = 0; c < sizeof(In) / sizeof(u32); ++c) {
        u32 here = bytes > 16 * c ? bytes - 16 * c : 0;
        copy_16(stage + c * LANES, here > 0 ? source + c : source, here < 16 ? here : 16);
    }
}

/// Writes the first `elements` of a quad.
__device__ void store_quad(Out* dst, Params params, u32 quad, OutQuad values, u32 elements) {
    u64 at = params.dst_base + quad;
    OutChunks chunks;
    chunks.quad = values;
    if (elements == 4) {
#pragma unroll
        for (u32 c = 0; c < OUT_CHUNKS; ++c) {
            ((uint4*)dst)[at * OUT_CHUNKS + c] = chunks.chunk[c];
        }
        return;
    }
#pragma unroll
    for (u32 i = 0; i < 3; ++i) {
        if (i < elements) {
            dst[4 * at + i] = chunks.element[i];
        }
    }
}
