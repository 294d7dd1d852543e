// Exact sums of f32. Words 0 to 9 are a number in two's complement, in units of 2^-149, of which every float is
// a whole multiple: 2^277 of them are the largest, and 2^32 floats add 32 bits. Word 10 says what else was seen.
const SAW_INFINITY = 1u;
const SAW_MINUS_INFINITY = 2u;
const SAW_NAN = 4u;
const SAW_MINUS_ZERO = 8u;
const SAW_ANOTHER = 16u;

fn identity() -> T {
    return T();
}

fn combine(left: T, right: T) -> T {
    let s0 = add_words(left.w0, right.w0, 0u);
    let s1 = add_words(left.w1, right.w1, s0.y);
    let s2 = add_words(left.w2, right.w2, s1.y);
    let s3 = add_words(left.w3, right.w3, s2.y);
    let s4 = add_words(left.w4, right.w4, s3.y);
    let s5 = add_words(left.w5, right.w5, s4.y);
    let s6 = add_words(left.w6, right.w6, s5.y);
    let s7 = add_words(left.w7, right.w7, s6.y);
    let s8 = add_words(left.w8, right.w8, s7.y);
    let s9 = add_words(left.w9, right.w9, s8.y);
    return T(s0.x, s1.x, s2.x, s3.x, s4.x, s5.x, s6.x, s7.x, s8.x, s9.x, left.w10 | right.w10);
}

/// The sum of two words and a carry, and the next carry.
fn add_words(a: u32, b: u32, carry: u32) -> vec2<u32> {
    let sum = a + b + carry;
    // The highest bits carry if both are set, or one is and the sum's is not: one instruction of three operands.
    return vec2(sum, ((a & b) | ((a | b) & ~sum)) >> 31u);
}

/// A float as a sum of one.
fn exact_sum_of(value: f32) -> T {
    let bits = bitcast<u32>(value);
    let exponent = (bits >> 23u) & 0xffu;
    let fraction = bits & 0x7fffffu;
    let negative = (bits >> 31u) == 1u;
    if exponent == 0xffu {
        var sum = T();
        sum.w10 = select(select(SAW_INFINITY, SAW_MINUS_INFINITY, negative), SAW_NAN, fraction != 0u);
        return sum;
    }
    if (bits << 1u) == 0u {
        var sum = T();
        sum.w10 = select(SAW_ANOTHER, SAW_MINUS_ZERO, negative);
        return sum;
    }
    let significand = fraction | select(0u, 0x800000u, exponent != 0u);
    let shift = max(exponent, 1u) - 1u;
    // The two words that it lies in, negated with those above if it is negative.
    var low = significand << (shift & 31u);
    var high = (significand >> 1u) >> (31u - (shift & 31u));
    var above = 0u;
    if negative {
        high = ~high + select(0u, 1u, low == 0u);
        low = ~low + 1u;
        above = 0xffffffffu;
    }
    let at = vec4(low, high, above, shift >> 5u);
    return T(
        word_of_sum(0u, at),
        word_of_sum(1u, at),
        word_of_sum(2u, at),
        word_of_sum(3u, at),
        word_of_sum(4u, at),
        word_of_sum(5u, at),
        word_of_sum(6u, at),
        word_of_sum(7u, at),
        word_of_sum(8u, at),
        word_of_sum(9u, at),
        SAW_ANOTHER,
    );
}

/// Word `i`, where `at` is the two words that are placed, what lies above, and the place of the first.
fn word_of_sum(i: u32, at: vec4<u32>) -> u32 {
    return select(select(select(at.z, at.y, i == at.w + 1u), at.x, i == at.w), 0u, i < at.w);
}

/// A magnitude while its words go by from the lowest: the highest word that is not zero, the one below it,
/// whether there is anything below that, and its place.
struct Leading {
    top: u32,
    next: u32,
    rest: u32,
    place: u32,
    /// The last word that went by, and all before that, in one.
    last: u32,
    before: u32,
    /// What is added to the next word.
    carry: u32,
}

fn pass_word(leading: Leading, flipped: u32, i: u32) -> Leading {
    var l = leading;
    let word = flipped + l.carry;
    l.carry = select(0u, l.carry, word == 0u);
    if word != 0u {
        l.top = word;
        l.next = l.last;
        l.rest = l.before;
        l.place = i;
    }
    l.before |= l.last;
    l.last = word;
    return l;
}

/// The float that is nearest to a sum; of two, the even one.
fn nearest_float(sum: T) -> f32 {
    let seen = sum.w10;
    let sign = sum.w9 & 0x80000000u;
    let flip = select(0u, 0xffffffffu, sign != 0u);
    var l = Leading();
    l.carry = flip & 1u;
    l = pass_word(l, sum.w0 ^ flip, 0u);
    l = pass_word(l, sum.w1 ^ flip, 1u);
    l = pass_word(l, sum.w2 ^ flip, 2u);
    l = pass_word(l, sum.w3 ^ flip, 3u);
    l = pass_word(l, sum.w4 ^ flip, 4u);
    l = pass_word(l, sum.w5 ^ flip, 5u);
    l = pass_word(l, sum.w6 ^ flip, 6u);
    l = pass_word(l, sum.w7 ^ flip, 7u);
    l = pass_word(l, sum.w8 ^ flip, 8u);
    l = pass_word(l, sum.w9 ^ flip, 9u);
    // 24 bits from the leading one on, rounded by what is below. A float whose leading bit is lower is subnormal,
    // or has the smallest exponent, and its bits are the sum's own.
    let zeros = countLeadingZeros(l.top);
    let top = (l.top << zeros) | ((l.next >> 1u) >> (31u - zeros));
    let beyond = top & 0xffu;
    let below = (l.next << zeros) | l.rest;
    let significand = top >> 8u;
    let up = select(0u, 1u, beyond > 0x80u || (beyond == 0x80u && (below != 0u || (significand & 1u) == 1u)));
    let shift = 32u * l.place + 8u - zeros;
    var bits = (shift << 23u) + significand + up;
    if l.place == 0u && zeros >= 8u {
        bits = l.top;
    } else if shift >= 254u {
        bits = 0x7f800000u;
    }
    bits |= sign;
    if (seen & SAW_MINUS_ZERO) != 0u && (seen & SAW_ANOTHER) == 0u {
        bits = 0x80000000u;
    }
    let endless = seen & (SAW_INFINITY | SAW_MINUS_INFINITY);
    if endless != 0u {
        bits = select(0x7f800000u, 0xff800000u, endless == SAW_MINUS_INFINITY);
    }
    if (seen & SAW_NAN) != 0u || endless == (SAW_INFINITY | SAW_MINUS_INFINITY) {
        bits = 0x7fc00000u;
    }
    return bitcast<f32>(bits);
}
