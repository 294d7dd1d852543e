// Samples in two's complement: with the sign bit turned over, their bits are in order.
fn key_of(bits: u32) -> u32 {
    return bits ^ SIGN;
}

/// From the first sample that is counted, as a float.
fn distance(bits: u32) -> f32 {
    return f32(key_of(bits) - params.first_key);
}
