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

/// The lowest two levels of the canonical tree: an inclusive scan of four elements.
fn scan_quad(quad: Quad) -> Quad {
    let y = combine(quad.x, quad.y);
    let w = combine(quad.z, quad.w);
    return Quad(quad.x, y, combine(y, quad.z), combine(y, w));
}

/// The last element of `scan_quad`, without the others.
fn total_of_quad(quad: Quad) -> T {
    return combine(combine(quad.x, quad.y), combine(quad.z, quad.w));
}
