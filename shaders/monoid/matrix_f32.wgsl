// The product of two matrices of two rows, (x, y) above (z, w). `rounded`: fused products would give other bits.
fn combine(left: T, right: T) -> T {
    return T(
        rounded(left.x * right.x) + rounded(left.y * right.z),
        rounded(left.x * right.y) + rounded(left.y * right.w),
        rounded(left.z * right.x) + rounded(left.w * right.z),
        rounded(left.z * right.y) + rounded(left.w * right.w),
    );
}
