// Four neighbouring values: what one lane scans at a time.
struct Quad {
    T x, y, z, w;
};

/// What one lane holds of a tile. Every index into it is known when it is compiled, so it stays in registers.
struct Quads {
    Quad quad[QUADS];
};

/// Every value of `quad` with `left` combined in from the left.
__device__ Quad lift(T left, Quad quad) {
    return Quad{combine(left, quad.x), combine(left, quad.y), combine(left, quad.z), combine(left, quad.w)};
}

__device__ Quads lift_all(T left, Quads quads) {
#pragma unroll
    for (u32 q = 0; q < QUADS; ++q) {
        quads.quad[q] = lift(left, quads.quad[q]);
    }
    return quads;
}

/// The lowest two levels of the canonical tree: an inclusive scan of four values.
__device__ Quad scan_quad(Quad quad) {
    T y = combine(quad.x, quad.y);
    T w = combine(quad.z, quad.w);
    return Quad{quad.x, y, combine(y, quad.z), combine(y, w)};
}

/// The last value of `scan_quad`, without the others.
__device__ T total_of_quad(Quad quad) {
    return combine(combine(quad.x, quad.y), combine(quad.z, quad.w));
}
