// log(exp(left) + exp(right)), from the larger one on, so that nothing overflows. What is no finite number is
// told by its bits.
fn combine(left: T, right: T) -> T {
    let right_is_higher = above(right, left);
    let high = select(left, right, right_is_higher);
    let low = select(right, left, right_is_higher);
    if endless(high) || endless(low) {
        return high;
    }
    return high + log(1.0 + exp(low - high));
}

/// An infinity or a NaN.
fn endless(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) == 0x7f800000u;
}
