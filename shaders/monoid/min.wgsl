// The smaller of two, the left one of equals.
fn combine(left: T, right: T) -> T {
    if below(right, left) {
        return right;
    }
    return left;
}
