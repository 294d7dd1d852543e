// From the larger of the lower ends to the smaller of the upper ends.
fn combine(left: T, right: T) -> T {
    return T(
        select(left.x, right.x, above(right.x, left.x)),
        select(left.y, right.y, below(right.y, left.y)),
    );
}
