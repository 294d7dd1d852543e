// The element with the smallest value, of several the one with the lowest index.
fn combine(left: T, right: T) -> T {
    let tie = !below(left.value, right.value) && right.index < left.index;
    if below(right.value, left.value) || tie {
        return right;
    }
    return left;
}
