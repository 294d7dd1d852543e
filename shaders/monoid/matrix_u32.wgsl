// The product of two matrices of two rows, (x, y) above (z, w); wrapping.
fn combine(left: T, right: T) -> T {
    return T(
        left.x * right.x + left.y * right.z,
        left.x * right.y + left.y * right.w,
        left.z * right.x + left.w * right.z,
        left.z * right.y + left.w * right.w,
    );
}
