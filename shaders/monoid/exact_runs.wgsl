// Exact sums of a run of floats: 96 bits that hold what precedes the run, and the largest of its floats, take the place of
// 320. What lies below these is left out; where that might change a rounding, all is done once more in full.
struct Window {
    w0: u32,
    w1: u32,
    w2: u32,
    /// Which word of a sum the first of these is.
    base: u32,
    /// Whether anything was added, and zero if that was nothing but -0.0.
    any: bool,
    another: u32,
    /// Whether something below the window was left out.
    unsure: bool,
    /// Whether the window does not do.
    failed: bool,
}

struct Sums {
    window: Window,
    quad: vec4<f32>,
}

/// By how much what is left out may change the sum, in units of the window's last bit: one for each of 32 floats, and one.
const UNSURE_BY = 64u;
/// How many bits longer than the longest of them a sum of a run and what precedes it can be, and its sign.
const GROWTH = 7u;

/// The largest exponent of a quad's floats.
fn loudest(quad: Inputs) -> u32 {
    let a = max(bitcast<u32>(quad.x) << 1u, bitcast<u32>(quad.y) << 1u);
    let b = max(bitcast<u32>(quad.z) << 1u, bitcast<u32>(quad.w) << 1u);
    return max(a, b) >> 24u;
}

/// A window for what precedes a run, and for floats of exponents up to `loud`.
fn open_window(before: Left, loud: u32) -> Window {
    var sum = before.value;
    if !before.there {
        sum = T();
    }
    let fill = bitcast<u32>(bitcast<i32>(sum.w9) >> 31u);
    // The highest word that says more than the sign, and how many bits there are up to its highest.
    var top = sum.w0;
    var place = 0u;
    if sum.w1 != fill { top = sum.w1; place = 32u; }
    if sum.w2 != fill { top = sum.w2; place = 64u; }
    if sum.w3 != fill { top = sum.w3; place = 96u; }
    if sum.w4 != fill { top = sum.w4; place = 128u; }
    if sum.w5 != fill { top = sum.w5; place = 160u; }
    if sum.w6 != fill { top = sum.w6; place = 192u; }
    if sum.w7 != fill { top = sum.w7; place = 224u; }
    if sum.w8 != fill { top = sum.w8; place = 256u; }
    if sum.w9 != fill { top = sum.w9; place = 288u; }
    let bits_of_sum = place + 32u - countLeadingZeros(top ^ fill);
    // The highest bit of a float with exponent 1 is the 24th of a sum.
    let bits_of_float = max(loud, 1u) + 23u;
    let highest = (max(bits_of_sum, bits_of_float) + GROWTH - 1u) / 32u;
    let base = max(highest, 2u) - 2u;
    var words = vec3(sum.w0, sum.w1, sum.w2);
    var below = 0u;
    if base > 0u { words = vec3(sum.w1, sum.w2, sum.w3); below = sum.w0; }
    if base > 1u { words = vec3(sum.w2, sum.w3, sum.w4); below = below | sum.w1; }
    if base > 2u { words = vec3(sum.w3, sum.w4, sum.w5); below = below | sum.w2; }
    if base > 3u { words = vec3(sum.w4, sum.w5, sum.w6); below = below | sum.w3; }
    if base > 4u { words = vec3(sum.w5, sum.w6, sum.w7); below = below | sum.w4; }
    if base > 5u { words = vec3(sum.w6, sum.w7, sum.w8); below = below | sum.w5; }
    if base > 6u { words = vec3(sum.w7, sum.w8, sum.w9); below = below | sum.w6; }
    let is_endless = loud == 0xffu || (sum.w10 & (SAW_INFINITY | SAW_MINUS_INFINITY | SAW_NAN)) != 0u;
    let any = (sum.w10 & (SAW_MINUS_ZERO | SAW_ANOTHER)) != 0u;
    return Window(words.x, words.y, words.z, base, any, sum.w10 & SAW_ANOTHER, below != 0u, is_endless);
}

fn push_float(window: Window, value: f32) -> Window {
    var w = window;
    let bits = bitcast<u32>(value);
    let exponent = (bits >> 23u) & 0xffu;
    let sign = bitcast<u32>(bitcast<i32>(bits) >> 31u);
    var significand = (bits & 0x7fffffu) | select(0u, 0x800000u, exponent != 0u);
    // Where its last bit is in the window.
    var at = i32(max(exponent, 1u)) - 1 - i32(32u * w.base);
    if at < 0 && significand != 0u {
        let beyond = min(u32(-at), 31u);
        let kept = significand >> beyond;
        w.unsure = w.unsure || (kept << beyond) != significand;
        significand = kept;
    }
    at = max(at, 0);
    let shift = u32(at) & 31u;
    let low = significand << shift;
    let high = (significand >> 1u) >> (31u - shift);
    let p0 = select(0u, low, at < 32);
    let p1 = select(select(0u, low, at < 64), high, at < 32);
    let p2 = select(low, select(0u, high, at >= 32), at < 64);
    let s0 = add_words(w.w0, p0 ^ sign, sign & 1u);
    let s1 = add_words(w.w1, p1 ^ sign, s0.y);
    w.w0 = s0.x;
    w.w1 = s1.x;
    w.w2 = w.w2 + (p2 ^ sign) + s1.y;
    w.any = true;
    w.another = w.another | (bits ^ 0x80000000u);
    return w;
}

/// The float that is nearest to a window's sum; of two, the even one.
fn sum_of_window(w: Window) -> f32 {
    let fill = bitcast<u32>(bitcast<i32>(w.w2) >> 31u);
    let m0 = (w.w0 ^ fill) + (fill & 1u);
    let carry_0 = select(0u, fill & 1u, m0 == 0u);
    let m1 = (w.w1 ^ fill) + carry_0;
    let carry_1 = select(0u, carry_0, m1 == 0u);
    let m2 = (w.w2 ^ fill) + carry_1;
    // The highest word of the magnitude, the one below it, and what is below that.
    let is_2 = m2 != 0u;
    let is_1 = m1 != 0u;
    let top = select(select(m0, m1, is_1), m2, is_2);
    let next = select(select(0u, m0, is_1), m1, is_2);
    let rest = select(0u, m0, is_2);
    let place = w.base + select(select(0u, 1u, is_1), 2u, is_2);
    let zeros = countLeadingZeros(top);
    let leading = (top << zeros) | ((next >> 1u) >> (31u - zeros));
    let below = (next << zeros) | rest;
    let significand = leading >> 8u;
    let beyond = ((leading & 0xffu) << 1u) | select(0u, 1u, below != 0u);
    let up = select(0u, 1u, beyond + (significand & 1u) > 0x100u);
    let shift = 32u * place + 8u - zeros;
    let rounded_bits = select((shift << 23u) + significand + up, 0x7f800000u, shift >= 254u);
    // A float whose leading bit is lower is subnormal, or has the smallest exponent, and its bits are the sum's own.
    let magnitude = select(rounded_bits, top, (place == 0u) & (zeros >= 8u));
    let zero = select(0u, 0x80000000u, w.any && w.another == 0u);
    return bitcast<f32>(select(magnitude | (fill & 0x80000000u), zero, top == 0u));
}

/// Whether what was left out does not change that.
fn is_sum_sure(window: Window) -> bool {
    var least = window;
    least.w0 = window.w0 - UNSURE_BY;
    let borrow = select(0u, 1u, window.w0 < UNSURE_BY);
    least.w1 = window.w1 - borrow;
    least.w2 = window.w2 - select(0u, borrow, window.w1 == 0u);
    var most = window;
    most.w0 = window.w0 + UNSURE_BY;
    let carry = select(0u, 1u, most.w0 < UNSURE_BY);
    most.w1 = window.w1 + carry;
    most.w2 = window.w2 + select(0u, carry, most.w1 == 0u);
    return bitcast<u32>(sum_of_window(least)) == bitcast<u32>(sum_of_window(most));
}

/// Adds a quad.
fn push_quad(window: Window, quad: Inputs) -> Window {
    return push_float(push_float(push_float(push_float(window, quad.x), quad.y), quad.z), quad.w);
}

/// Adds a quad and tells its results.
fn sum_quad(window: Window, quad: Inputs) -> Sums {
    let x = push_float(window, quad.x);
    let y = push_float(x, quad.y);
    let z = push_float(y, quad.z);
    let w = push_float(z, quad.w);
    let upper = vec3(sum_of_window(x), sum_of_window(y), sum_of_window(z));
    if EXCLUSIVE {
        return Sums(w, vec4(sum_of_window(window), upper));
    }
    return Sums(w, vec4(upper, sum_of_window(w)));
}

/// A window's sum as any other, if nothing was left out.
fn close_window(w: Window) -> T {
    let fill = bitcast<u32>(bitcast<i32>(w.w2) >> 31u);
    let seen = select(SAW_MINUS_ZERO, SAW_ANOTHER, w.another != 0u);
    return T(
        word_of_window(w, fill, 0u),
        word_of_window(w, fill, 1u),
        word_of_window(w, fill, 2u),
        word_of_window(w, fill, 3u),
        word_of_window(w, fill, 4u),
        word_of_window(w, fill, 5u),
        word_of_window(w, fill, 6u),
        word_of_window(w, fill, 7u),
        word_of_window(w, fill, 8u),
        word_of_window(w, fill, 9u),
        seen,
    );
}

fn word_of_window(w: Window, fill: u32, i: u32) -> u32 {
    let upper = select(select(fill, w.w2, i == w.base + 2u), w.w1, i == w.base + 1u);
    return select(select(upper, w.w0, i == w.base), 0u, i < w.base);
}

/// One float of a quad.
fn float_of(quad: Inputs, e: u32) -> f32 {
    return select(select(quad.w, quad.z, e == 2u), select(quad.y, quad.x, e == 0u), e < 2u);
}

/// The total of a run's quad in full, for windows that fail.
fn total_in_full(quad: Inputs, before: Left) -> Left {
    var left = before;
    for (var e = 0u; e < 4u + params.zero; e = e + 1u) {
        let value = exact_sum_of(float_of(quad, e));
        if left.there {
            left.value = combine(left.value, value);
        } else {
            left = Left(true, value);
        }
    }
    return left;
}

struct SumsInFull {
    left: Left,
    quad: vec4<f32>,
}

/// The results of a run's quad in full.
fn sum_in_full(quad: Inputs, before: Left) -> SumsInFull {
    var left = before;
    var sums: vec4<f32>;
    for (var e = 0u; e < 4u + params.zero; e = e + 1u) {
        var sum = left.value;
        if !left.there {
            sum = start();
        }
        let value = exact_sum_of(float_of(quad, e));
        if left.there {
            left.value = combine(left.value, value);
        } else {
            left = Left(true, value);
        }
        if !EXCLUSIVE {
            sum = left.value;
        }
        sums = select(sums, vec4(nearest_float(sum)), vec4(e) == vec4(0u, 1u, 2u, 3u));
    }
    return SumsInFull(left, sums);
}
