/// The tree's levels between steps of one lane.
fn scan_steps(tile: Quads) -> Quads {
    var quads = tile;
    for (var half = 1u; half < steps() && 4u * half < ROW; half = half << 1u) {
        for (var q = half; q < steps(); q = q + 1u) {
            if (q & half) != 0u {
                // The left sibling's last step ends in its total.
                let left = quads.q[(q & ~(2u * half - 1u)) + half - 1u].w;
                quads.q[q] = lift(left, quads.q[q]);
            }
        }
    }
    return quads;
}
