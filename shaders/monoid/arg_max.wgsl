// The element with the largest value, of several the one with the lowest index.
fn combine(left: T, right: T) -> T {
    let tie = !above(left.value, right.value) && right.index < left.index;
    if above(right.value, left.value) || tie {
        return right;
    }
    return left;
}
