// Input on its way: each lane copies what it will read itself from global to shared memory, without waiting, so
// that no barrier is needed before it reads. Chunks of 16 bytes lie beside those of the neighbouring lanes.
constexpr u32 IN_CHUNKS = sizeof(In) / sizeof(u32);
/// Chunks of a tile.
constexpr u32 STAGE = QUADS * IN_CHUNKS * LANES;

struct InQuad {
    In x, y, z, w;
};

union Chunks {
    InQuad quad;
    uint4 chunk[IN_CHUNKS];
};

__device__ u32 at_most(u32 a, u32 b) {
    return a < b ? a : b;
}

/// The quad of this lane in step `q`, counted from the start of the tile.
__device__ u32 quad_of_tile(u32 q) {
    u32 warp = threadIdx.x / WARP;
    u32 rank = threadIdx.x % WARP;
    return (warp * QUADS + q) * WARP + rank;
}

/// Elements of the piece that lie in the quad which begins with element `first`.
__device__ u32 present(u32 first, u32 count) {
    return first < count ? at_most(4, count - first) : 0;
}

/// Begins to copy this lane's part of the tile that begins with quad `first`. Only the last tile is not whole: its text
/// is apart, so that what runs each time is short.
__device__ void fetch_tile(uint4* stage, const In* src, Params params, u32 first) {
    if (params.count - 4 * first >= TILE) {
#pragma unroll
        for (u32 q = 0; q < QUADS; ++q) {
            fetch_quad(&stage[q * IN_CHUNKS * LANES + threadIdx.x], src, params, first + quad_of_tile(q), 4);
        }
    } else {
#pragma unroll 1
        for (u32 q = 0; q < QUADS; ++q) {
            u32 quad = first + quad_of_tile(q);
            u32 elements = present(4 * quad, params.count);
            fetch_quad(
                &stage[q * IN_CHUNKS * LANES + threadIdx.x], src, params, elements > 0 ? quad : first, elements);
        }
    }
    commit_copies();
}

/// What `fetch_tile` has copied for this lane.
__device__ Quads staged(const uint4* stage) {
    Quads quads;
#pragma unroll
    for (u32 q = 0; q < QUADS; ++q) {
        Chunks chunks;
#pragma unroll
        for (u32 c = 0; c < IN_CHUNKS; ++c) {
            chunks.chunk[c] = stage[(q * IN_CHUNKS + c) * LANES + threadIdx.x];
        }
        InQuad quad = chunks.quad;
        quads.quad[q] = Quad{map_in(quad.x), map_in(quad.y), map_in(quad.z), map_in(quad.w)};
    }
    return quads;
}

__device__ OutQuad mapped_out(Quad quad) {
    return OutQuad{map_out(quad.x), map_out(quad.y), map_out(quad.z), map_out(quad.w)};
}

/// Writes this lane's part of the tile that begins with quad `first`.
__device__ void store_tile(Out* dst, Params params, u32 first, const Quads& quads) {
    if (params.count - 4 * first >= TILE) {
#pragma unroll
        for (u32 q = 0; q < QUADS; ++q) {
            store_quad(dst, params, first + quad_of_tile(q), mapped_out(quads.quad[q]), 4);
        }
        return;
    }
#pragma unroll
    for (u32 q = 0; q < QUADS; ++q) {
        u32 quad = first + quad_of_tile(q);
        store_quad(dst, params, quad, mapped_out(quads.quad[q]), present(4 * quad, params.count));
    }
}
