// Product of 64-bit integers as two words, the lower first: wrapping, signed or not.
fn combine(left: T, right: T) -> T {
    let low = wide_product(left.x, right.x);
    return T(low.x, low.y + left.x * right.y + left.y * right.x);
}

/// All 64 bits of a product, by halves of words. No sum in it overflows.
fn wide_product(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let cross = (a & 0xffffu) * (b >> 16u);
    let middle = (low >> 16u) + (cross & 0xffffu) + (a >> 16u) * (b & 0xffffu);
    let high = (a >> 16u) * (b >> 16u) + (cross >> 16u) + (middle >> 16u);
    return vec2((middle << 16u) | (low & 0xffffu), high);
}
