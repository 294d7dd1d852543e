// Floats, as integers in the same order: no device may round or flush what it compares. Both zeros are one,
// and every NaN is beyond both infinities.
fn key_of(bits: u32) -> u32 {
    let key = select(bits | SIGN, SAMPLE_MASK & ~bits, (bits & SIGN) != 0u);
    return select(key, SIGN, bits == SIGN);
}

/// From the first sample that is counted.
fn distance(bits: u32) -> f32 {
    return value_of(bits) - value_of(params.origin);
}

/// The sample as an f32. Built-in functions may flush subnormal halves.
fn value_of(bits: u32) -> f32 {
    if SAMPLE_BITS == 32u {
        return bitcast<f32>(bits);
    }
    let magnitude = bits & ~SIGN;
    var value = f32(magnitude) * 0x1p-24f;
    if magnitude >= 0x400u {
        value = bitcast<f32>((magnitude << 13u) + 0x38000000u);
    }
    if (bits & SIGN) != 0u {
        return -value;
    }
    return value;
}
