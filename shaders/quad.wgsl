// Four neighbouring elements: what one lane moves at a time. `Quad` is a vector of numbers, or a struct of
// anything else, with components of the same names.

/// Every element of `quad` with `left` combined in from the left.
fn lift(left: T, quad: Quad) -> Quad {
    return Quad(
        combine(left, quad.x),
        combine(left, quad.y),
        combine(left, quad.z),
        combine(left, quad.w),
    );
}

/// The combination of all four, by the lowest two levels of the canonical tree.
fn total_of_quad(quad: Quad) -> T {
    return combine(combine(quad.x, quad.y), combine(quad.z, quad.w));
}
