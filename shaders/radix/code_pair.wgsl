// Keys of two words, the low one first, and their order-preserving codes: see code_word.wgsl. SIGN and
// MANTISSA are those of the high word.
alias Key = vec2<u32>;

fn unsigned_code(key: Key) -> Key {
    return key;
}

fn signed_code(key: Key) -> Key {
    return vec2(key.x, key.y ^ SIGN);
}

fn minus(left: Key, right: Key) -> Key {
    return vec2(left.x - right.x, left.y - right.y - select(0u, 1u, left.x < right.x));
}

fn float_code(key: Key) -> Key {
    let negative_infinity = vec2(0u, SIGN | (SIGN - 1u - MANTISSA));
    if key.y > negative_infinity.y || (key.y == negative_infinity.y && key.x > 0u) {
        return key;
    }
    if key.y >= SIGN && any(key != vec2(0u, SIGN)) {
        return minus(negative_infinity, key);
    }
    return minus(vec2(key.x, key.y | SIGN), vec2(0xffffffffu, MANTISSA));
}

fn key_xor(key: Key, bits: u32) -> Key {
    return key ^ vec2(bits);
}

/// Eight bits at most, from bit `shift` on; they may lie in both words.
fn bits_of(code: Key, shift: u32, mask: u32) -> u32 {
    if shift >= 32u {
        return (code.y >> (shift - 32u)) & mask;
    }
    var bits = code.x >> shift;
    if shift > 24u {
        bits |= code.y << (32u - shift);
    }
    return bits & mask;
}
