// The larger of two, the left one of equals.
fn combine(left: T, right: T) -> T {
    return select(left, right, above(right, left));
}
