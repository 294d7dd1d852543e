/// A number as 16 bits hold it, rounded to nearest and ties to even. In integers, for drivers round as they like.
fn half_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let sign = (bits >> 16u) & 0x8000u;
    let size = bits & 0x7fffffffu;
    if size > 0x7f800000u {
        return sign | 0x7e00u; // NaN
    }
    if size >= 0x477ff000u {
        return sign | 0x7c00u; // from the middle between the largest number and the next, which is not there
    }
    if size >= 0x38800000u {
        let rebased = size - 0x38000000u;
        return sign | ((rebased + 0xfffu + ((rebased >> 13u) & 1u)) >> 13u);
    }
    if size < 0x33000000u {
        return sign; // less than half of the smallest number
    }
    let significand = (size & 0x7fffffu) | 0x800000u;
    let shift = 126u - (size >> 23u);
    let odd = (significand >> shift) & 1u;
    return sign | ((significand + (1u << (shift - 1u)) - 1u + odd) >> shift);
}
