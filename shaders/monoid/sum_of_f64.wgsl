// Sum of f64 as two words, the lower first: IEEE 754, to nearest, ties to even, with subnormal numbers, on
// devices without such numbers. Every NaN comes out as the same one.
fn identity() -> T {
    return T();
}

fn combine(left: T, right: T) -> T {
    let ordered = smaller_magnitude(left, right);
    let a = select(left, right, ordered);
    let b = select(right, left, ordered);
    let sign = a.y & 0x80000000u;
    let opposite = ((a.y ^ b.y) >> 31u) == 1u;
    let a_field = (a.y >> 20u) & 0x7ffu;
    let b_field = (b.y >> 20u) & 0x7ffu;
    if a_field == 0x7ffu {
        let is_nan = ((a.y & 0xfffffu) | a.x) != 0u;
        return select(a, T(0u, 0x7ff80000u), is_nan || (b_field == 0x7ffu && opposite));
    }

    // Significands with three more bits below: two that count when it is rounded, and one for all beyond.
    var exponent = max(a_field, 1u);
    let larger = significand(a, a_field);
    let smaller = shifted_right(significand(b, b_field), exponent - max(b_field, 1u));
    var sum: vec2<u32>;
    if opposite {
        sum = vec2(larger.x - smaller.x, larger.y - smaller.y - select(0u, 1u, larger.x < smaller.x));
    } else {
        let low = larger.x + smaller.x;
        sum = vec2(low, larger.y + smaller.y + select(0u, 1u, low < larger.x));
    }
    if (sum.x | sum.y) == 0u {
        return T(0u, select(sign, 0u, opposite));
    }

    // The leading bit to where it belongs, bit 55, unless the number is subnormal.
    if (sum.y >> 24u) != 0u {
        sum = shifted_right(sum, 1u);
        exponent += 1u;
    } else {
        let zeros = select(countLeadingZeros(sum.y), 32u + countLeadingZeros(sum.x), sum.y == 0u);
        let by = min(zeros - 8u, exponent - 1u);
        sum = shifted_left(sum, by);
        exponent -= by;
    }
    if exponent >= 0x7ffu {
        return T(0u, sign | 0x7ff00000u);
    }

    // The leading bit, if it is there, adds one to the exponent's field, and so may the rounding.
    let beyond = sum.x & 7u;
    let low = (sum.x >> 3u) | (sum.y << 29u);
    let up = select(0u, 1u, beyond > 4u || (beyond == 4u && (low & 1u) == 1u));
    let nearest_low = low + up;
    let high = (sum.y >> 3u) + ((exponent - 1u) << 20u) + select(0u, 1u, nearest_low < up);
    return T(nearest_low, sign | high);
}

fn smaller_magnitude(x: vec2<u32>, y: vec2<u32>) -> bool {
    let x_high = x.y & 0x7fffffffu;
    let y_high = y.y & 0x7fffffffu;
    return x_high < y_high || (x_high == y_high && x.x < y.x);
}

/// Eight times the significand.
fn significand(x: vec2<u32>, exponent_field: u32) -> vec2<u32> {
    let high = (x.y & 0xfffffu) | select(0u, 0x100000u, exponent_field != 0u);
    return vec2(x.x << 3u, (high << 3u) | (x.x >> 29u));
}

/// The lowest bit is set if any that is shifted out is.
fn shifted_right(x: vec2<u32>, by: u32) -> vec2<u32> {
    if by == 0u {
        return x;
    }
    if by >= 64u {
        return vec2(select(0u, 1u, (x.x | x.y) != 0u), 0u);
    }
    let bits = by & 31u;
    // The words that take part: `low` is cut, `high` moves into it.
    let far = by >= 32u;
    let low = select(x.x, x.y, far);
    let high = select(x.y, 0u, far);
    let lost = (low & ((1u << bits) - 1u)) | select(0u, x.x, far);
    let moved = select(high << ((32u - bits) & 31u), 0u, bits == 0u);
    return vec2((low >> bits) | moved | select(0u, 1u, lost != 0u), high >> bits);
}

fn shifted_left(x: vec2<u32>, by: u32) -> vec2<u32> {
    let bits = by & 31u;
    let far = by >= 32u;
    let low = select(x.x, 0u, far);
    let high = select(x.y, x.x, far);
    let moved = select(low >> ((32u - bits) & 31u), 0u, bits == 0u);
    return vec2(low << bits, (high << bits) | moved);
}
