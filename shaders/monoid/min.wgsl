// The smaller of two, the left one of equals.
fn combine(left: T, right: T) -> T {
    return select(left, right, below(right, left));
}
