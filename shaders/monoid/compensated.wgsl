// Sums of two floats each, (sum, error): what rounding took away from the sum is carried along. After Knuth's
// exact addition. Every intermediate value is hidden from compilers, which could not resist to simplify.
fn identity() -> T {
    return T();
}

fn combine(left: T, right: T) -> T {
    let sum = rounded(left.x + right.x);
    let of_right = rounded(sum - left.x);
    let of_left = rounded(sum - of_right);
    let lost = rounded(rounded(left.x - of_left) + rounded(right.x - of_right));
    let error = rounded(lost + rounded(left.y + right.y));
    // Once more, so that the error is less than the sum can hold.
    let total = rounded(sum + error);
    let rest = rounded(error - rounded(total - sum));
    let sum_bits = bitcast<u32>(sum);
    let as_it_is = ((sum_bits & 0x7f800000u) == 0x7f800000u) | ((bitcast<u32>(error) << 1u) == 0u);
    return select(T(total, rest), T(sum, 0.0), as_it_is);
}
