// Sum: wrapping for integers, plain rounding for floats.
fn identity() -> T {
    return T();
}

fn combine(left: T, right: T) -> T {
    return left + right;
}
