// The order of f64 as two words, the lower first, where -0.0 is below 0.0, and a NaN above and below every
// number.
fn order_key(x: vec2<u32>) -> vec2<u32> {
    return select(vec2(x.x, x.y | 0x80000000u), ~x, (x.y >> 31u) == 1u);
}

fn not_a_number(x: vec2<u32>) -> bool {
    let high = x.y & 0x7fffffffu;
    return (high > 0x7ff00000u) | ((high == 0x7ff00000u) & (x.x != 0u));
}

fn key_above(x: vec2<u32>, y: vec2<u32>) -> bool {
    return (x.y > y.y) | ((x.y == y.y) & (x.x > y.x));
}

fn above(x: vec2<u32>, y: vec2<u32>) -> bool {
    return !not_a_number(y) & (not_a_number(x) | key_above(order_key(x), order_key(y)));
}

fn below(x: vec2<u32>, y: vec2<u32>) -> bool {
    return !not_a_number(y) & (not_a_number(x) | key_above(order_key(y), order_key(x)));
}
