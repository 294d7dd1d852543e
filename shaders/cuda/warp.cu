// A warp's run of a tile: QUADS steps of one quad a lane. Index bits of an element, lowest first: place in
// the quad, lane, step, warp.

/// The run's total, in every lane.
///
/// While a lane holds more than one step it hands half of them to its partner and takes in the partner's part of
/// the other half, so that each level moves half as many values as the one below.
__device__ T reduce_run(const Quads& quads, u32 rank) {
    T totals[QUADS];
#pragma unroll
    for (u32 q = 0; q < QUADS; ++q) {
        totals[q] = total_of_quad(quads.quad[q]);
    }
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        u32 kept = QUADS / (2 * distance);
        if (kept == 0) {
            totals[0] = combine_across(totals[0], rank, distance);
            continue;
        }
        bool right = (rank & distance) != 0;
#pragma unroll
        for (u32 i = 0; i < kept; ++i) {
            // By value: an index that depended on the lane would move the array out of registers.
            T first = totals[i], second = totals[i + kept];
            T mine = right ? second : first;
            T other = shuffle(right ? first : second, rank ^ distance);
            totals[i] = right ? combine(other, mine) : combine(mine, other);
        }
    }
    // Now bits of the rank say which step a lane holds, the step's lowest bit in the highest of them.
    T total = totals[0];
#pragma unroll
    for (u32 distance = QUADS / 2; distance > 0; distance /= 2) {
        total = combine_across(total, rank, distance);
    }
    return total;
}

/// Inclusive scan of the run.
__device__ Quads scan_run(Quads quads, u32 rank) {
#pragma unroll
    for (u32 q = 0; q < QUADS; ++q) {
        quads.quad[q] = scan_quad(quads.quad[q]);
    }
#pragma unroll
    for (u32 half = 1; half < WARP; half *= 2) {
        u32 last_on_the_left = (rank & ~(2 * half - 1)) | (half - 1);
#pragma unroll
        for (u32 q = 0; q < QUADS; ++q) {
            T left = shuffle(quads.quad[q].w, last_on_the_left);
            if ((rank & half) != 0) {
                quads.quad[q] = lift(left, quads.quad[q]);
            }
        }
    }
#pragma unroll
    for (u32 half = 1; half < QUADS; half *= 2) {
#pragma unroll
        for (u32 first = 0; first < QUADS; first += 2 * half) {
            // The left sibling's last step ends in its total.
            T total = shuffle(quads.quad[first + half - 1].w, WARP - 1);
#pragma unroll
            for (u32 q = first + half; q < first + 2 * half; ++q) {
                quads.quad[q] = lift(total, quads.quad[q]);
            }
        }
    }
    return quads;
}

/// Moves the run on by one place; `entering` comes before its first value.
__device__ Quads shift_run(Quads quads, T entering, u32 rank) {
    u32 previous = (rank + WARP - 1) % WARP;
    T carried = entering;
#pragma unroll
    for (u32 q = 0; q < QUADS; ++q) {
        Quad quad = quads.quad[q];
        T left = shuffle(quad.w, previous);
        // The first lane is told what the last one holds: that precedes its next step.
        quads.quad[q] = Quad{rank == 0 ? carried : left, quad.x, quad.y, quad.z};
        carried = left;
    }
    return quads;
}
