// Sum of 64-bit integers as two words, the lower first: wrapping, signed or not.
fn identity() -> T {
    return T();
}

fn combine(left: T, right: T) -> T {
    let low = left.x + right.x;
    let carry = select(0u, 1u, low < left.x);
    return T(low, left.y + right.y + carry);
}
