/// The tree's levels between steps of one subgroup.
fn scan_steps(tile: Quads, last_lane: u32) -> Quads {
    var quads = tile;
    for (var half = 1u; half < steps() && 4u * (last_lane + 1u) * half < ROW; half = half << 1u) {
        for (var q = half; q < steps(); q = q + 1u) {
            if (q & half) != 0u {
                // The left sibling's last step ends in its total.
                let left = shuffle(quads.q[(q & ~(2u * half - 1u)) + half - 1u].w, last_lane);
                quads.q[q] = lift(left, quads.q[q]);
            }
        }
    }
    return quads;
}
