// Back from a key to the float whose key it is.
fn value_of_order_key(key: u32) -> f32 {
    return bitcast<f32>(key ^ (bitcast<u32>(~(bitcast<i32>(key) >> 31u)) | 0x80000000u));
}
