// The order of f32, where -0.0 is below 0.0, and a NaN above and below every number. By bits, for compilers
// may take it that there is no NaN. Without branches: a scan compares some ten times for each element.
fn order_key(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}

fn not_a_number(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn above(x: f32, y: f32) -> bool {
    return !not_a_number(y) & (not_a_number(x) | (order_key(x) > order_key(y)));
}

fn below(x: f32, y: f32) -> bool {
    return !not_a_number(y) & (not_a_number(x) | (order_key(x) < order_key(y)));
}
