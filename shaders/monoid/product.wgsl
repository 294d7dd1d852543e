// Product: wrapping for integers, plain rounding for floats.
fn combine(left: T, right: T) -> T {
    return left * right;
}
