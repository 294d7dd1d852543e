// Sums of two floats each, (sum, error): what rounding took away from the sum is carried along. After Knuth's
// exact addition. Every intermediate value is hidden from compilers, which could not resist to simplify.
fn identity() -> T {
    return T();
}

fn combine(left: T, right: T) -> T {
    let sum = rounded_sum(left.x, right.x);
    let of_right = rounded_sum(sum, -left.x);
    let of_left = rounded_sum(sum, -of_right);
    let lost = rounded_sum(rounded_sum(left.x, -of_left), rounded_sum(right.x, -of_right));
    return T(sum, rounded_sum(lost, rounded_sum(left.y, right.y)));
}
