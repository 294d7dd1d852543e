// The larger of two, the left one of equals.
fn combine(left: T, right: T) -> T {
    if above(right, left) {
        return right;
    }
    return left;
}
