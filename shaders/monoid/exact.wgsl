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

/// A float as a sum of one. Without branches: in each, a few lanes would keep all waiting.
fn exact_sum_of(value: f32) -> T {
    let bits = bitcast<u32>(value);
    let exponent = (bits >> 23u) & 0xffu;
    let fraction = bits & 0x7fffffu;
    // All bits if it is negative.
    let sign = bitcast<u32>(bitcast<i32>(bits) >> 31u);
    let is_zero = (bits << 1u) == 0u;
    let is_endless = exponent == 0xffu;
    let significand = select(fraction | select(0u, 0x800000u, exponent != 0u), 0u, is_endless);
    let shift = max(exponent, 1u) - 1u;
    // The two words that it lies in, negated with those above if it is negative.
    let low = significand << (shift & 31u);
    let high = (significand >> 1u) >> (31u - (shift & 31u));
    let carry = select(0u, sign & 1u, low == 0u);
    let above = select(sign, 0u, is_zero | is_endless);
    let at = Placed((low ^ sign) + (sign & 1u), (high ^ sign) + carry, above, select(shift >> 5u, 0u, is_zero | is_endless));
    let infinity = select(SAW_INFINITY, SAW_MINUS_INFINITY, sign != 0u);
    let zero = select(SAW_ANOTHER, SAW_MINUS_ZERO, sign != 0u);
    let seen = select(select(SAW_ANOTHER, zero, is_zero), select(infinity, SAW_NAN, fraction != 0u), is_endless);
    let w0 = word_of_sum(0u, 0u, at);
    let w1 = word_of_sum(1u, w0.y, at);
    let w2 = word_of_sum(2u, w1.y, at);
    let w3 = word_of_sum(3u, w2.y, at);
    let w4 = word_of_sum(4u, w3.y, at);
    let w5 = word_of_sum(5u, w4.y, at);
    let w6 = word_of_sum(6u, w5.y, at);
    let w7 = word_of_sum(7u, w6.y, at);
    let w8 = word_of_sum(8u, w7.y, at);
    let w9 = word_of_sum(9u, w8.y, at);
    return T(w0.x, w1.x, w2.x, w3.x, w4.x, w5.x, w6.x, w7.x, w8.x, w9.x, seen);
}

/// Two words that are placed, what lies above, and the place of the first.
struct Placed {
    low: u32,
    high: u32,
    above: u32,
    first: u32,
}

/// Word `i`, if `following` is what follows the word below; and what follows this one.
fn word_of_sum(i: u32, following: u32, at: Placed) -> vec2<u32> {
    let is_first = i == at.first;
    let after_high = select(following, at.above, i == at.first + 1u);
    return vec2(select(following, at.low, is_first), select(after_high, at.high, is_first));
}

/// A sum while its words go by from the lowest: the highest word that says more than the sign, the one below it, and
/// whether there is anything below that.
struct Leading {
    top: u32,
    next: u32,
    rest: u32,
    place: u32,
    /// The last word that went by, and all before that, in one.
    last: u32,
    before: u32,
}

fn pass_word(leading: Leading, word: u32, fill: u32, i: u32) -> Leading {
    let l = leading;
    let says_more = word != fill;
    return Leading(
        select(l.top, word, says_more),
        select(l.next, l.last, says_more),
        select(l.rest, l.before, says_more),
        select(l.place, i, says_more),
        word,
        l.before | l.last,
    );
}

/// The float that is nearest to a sum; of two, the even one.
fn nearest_float(sum: T) -> f32 {
    let seen = sum.w10;
    let fill = bitcast<u32>(bitcast<i32>(sum.w9) >> 31u);
    let sign = fill & 0x80000000u;
    // Of no word that says more, the lowest is the sum: zero, or minus one.
    var l = Leading(sum.w0, 0u, 0u, 0u, sum.w0, 0u);
    l = pass_word(l, sum.w1, fill, 1u);
    l = pass_word(l, sum.w2, fill, 2u);
    l = pass_word(l, sum.w3, fill, 3u);
    l = pass_word(l, sum.w4, fill, 4u);
    l = pass_word(l, sum.w5, fill, 5u);
    l = pass_word(l, sum.w6, fill, 6u);
    l = pass_word(l, sum.w7, fill, 7u);
    l = pass_word(l, sum.w8, fill, 8u);
    l = pass_word(l, sum.w9, fill, 9u);
    // The magnitude: one is added behind the flipped bits, and carried over words of zeros. A power of 2^32 is carried
    // into the word above.
    let one = fill & 1u;
    let carry_to_next = select(0u, one, l.rest == 0u);
    let carry_to_top = select(0u, carry_to_next, l.next == 0u);
    l.next = select(0u, (l.next ^ fill) + carry_to_next, l.place > 0u);
    l.top = (l.top ^ fill) + carry_to_top;
    let carried = (l.top == 0u) & (fill != 0u);
    l.top = select(l.top, 1u, carried);
    l.place = l.place + select(0u, 1u, carried);
    // 24 bits from the leading one on, rounded by what is below. A float whose leading bit is lower is subnormal,
    // or has the smallest exponent, and its bits are the sum's own.
    let zeros = countLeadingZeros(l.top);
    let top = (l.top << zeros) | ((l.next >> 1u) >> (31u - zeros));
    let beyond = top & 0xffu;
    let below = (l.next << zeros) | l.rest;
    let significand = top >> 8u;
    let is_odd = (significand & 1u) == 1u;
    let up = select(0u, 1u, (beyond > 0x80u) | ((beyond == 0x80u) & ((below != 0u) | is_odd)));
    let shift = 32u * l.place + 8u - zeros;
    let rounded_bits = select((shift << 23u) + significand + up, 0x7f800000u, shift >= 254u);
    var bits = sign | select(rounded_bits, l.top, (l.place == 0u) & (zeros >= 8u));
    let zeros_seen = seen & (SAW_MINUS_ZERO | SAW_ANOTHER);
    bits = select(bits, 0x80000000u, zeros_seen == SAW_MINUS_ZERO);
    let endless = seen & (SAW_INFINITY | SAW_MINUS_INFINITY);
    bits = select(bits, select(0x7f800000u, 0xff800000u, endless == SAW_MINUS_INFINITY), endless != 0u);
    let is_nan = ((seen & SAW_NAN) != 0u) | (endless == (SAW_INFINITY | SAW_MINUS_INFINITY));
    return bitcast<f32>(select(bits, 0x7fc00000u, is_nan));
}
