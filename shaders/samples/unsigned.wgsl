// Samples that are unsigned: their bits are in order as they are.
fn key_of(bits: u32) -> u32 {
    return bits;
}

/// From the first sample that is counted, as a float.
fn distance(bits: u32) -> f32 {
    return f32(bits - params.first_key);
}
