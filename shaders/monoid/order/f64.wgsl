// The order of f64 as two words, the lower first, where -0.0 is below 0.0, and a NaN above and below every
// number. As for f32: keys are moved on by the NaNs at one end, which are 2^52 - 1.
fn order_key(x: vec2<u32>) -> vec2<u32> {
    let flip = bitcast<u32>(bitcast<i32>(x.y) >> 31u);
    return x ^ vec2(flip, flip | 0x80000000u);
}

fn key_for_largest(x: vec2<u32>) -> vec2<u32> {
    let key = order_key(x);
    let low = key.x + 1u;
    return vec2(low, key.y - 0x00100000u + select(0u, 1u, low == 0u));
}

fn key_for_smallest(x: vec2<u32>) -> vec2<u32> {
    let key = order_key(x);
    return vec2(key.x - 1u, key.y + 0x00100000u - select(0u, 1u, key.x == 0u));
}

fn key_above(x: vec2<u32>, y: vec2<u32>) -> bool {
    return (x.y > y.y) | ((x.y == y.y) & (x.x > y.x));
}

fn above(x: vec2<u32>, y: vec2<u32>) -> bool {
    return key_above(key_for_largest(x), key_for_largest(y));
}

fn below(x: vec2<u32>, y: vec2<u32>) -> bool {
    return key_above(key_for_smallest(y), key_for_smallest(x));
}
