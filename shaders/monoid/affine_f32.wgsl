// Two maps x -> a x + b, (a, b), one after the other. `rounded`: a fused product would give other bits.
fn combine(left: T, right: T) -> T {
    return T(left.x * right.x, rounded(right.x * left.y) + right.y);
}
