// Two maps x -> a x + b, (a, b), one after the other; wrapping.
fn combine(left: T, right: T) -> T {
    return T(left.x * right.x, right.x * left.y + right.y);
}
