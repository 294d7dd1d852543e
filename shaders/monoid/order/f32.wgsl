// The order of f32, where -0.0 is below 0.0, and a NaN above and below every number. By bits, for compilers
// may take it that there is no NaN. Unsigned keys are in that order, but for the NaNs at both of their ends: moved on
// by as many as are at one end, around all numbers, they are all at the other.
const NANS_AT_ONE_END = 0x007fffffu;

fn order_key(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return bits ^ (bitcast<u32>(bitcast<i32>(bits) >> 31u) | 0x80000000u);
}

fn key_for_largest(x: f32) -> u32 {
    return order_key(x) - NANS_AT_ONE_END;
}

fn key_for_smallest(x: f32) -> u32 {
    return order_key(x) + NANS_AT_ONE_END;
}

fn above(x: f32, y: f32) -> bool {
    return key_for_largest(x) > key_for_largest(y);
}

fn below(x: f32, y: f32) -> bool {
    return key_for_smallest(x) < key_for_smallest(y);
}
