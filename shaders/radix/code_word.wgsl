// Keys of one word, and their order-preserving codes: unsigned numbers in the order of the keys. SIGN is the
// sign bit of the key type, MANTISSA a float's mantissa, both given beside this text.
alias Key = u32;

/// Unsigned integers are their own codes.
fn unsigned_code(key: Key) -> Key {
    return key;
}

/// Two's complement: negative numbers first.
fn signed_code(key: Key) -> Key {
    return key ^ SIGN;
}

/// From −∞ (0) over the zeros, which are equal, to +∞; then NaNs by their bits.
fn float_code(key: Key) -> Key {
    let negative_infinity = SIGN | (SIGN - 1u - MANTISSA);
    if key > negative_infinity {
        return key;
    }
    if key >= SIGN && key != SIGN {
        return negative_infinity - key;
    }
    return (key | SIGN) - MANTISSA;
}

fn key_xor(key: Key, bits: u32) -> Key {
    return key ^ bits;
}

/// Eight bits at most, from bit `shift` on.
fn bits_of(code: Key, shift: u32, mask: u32) -> u32 {
    return (code >> shift) & mask;
}
