// Two maps x -> M x + v of the plane, one after the other; the matrix (x, y) above (z, w). `rounded`: fused
// products would give other bits.
fn combine(left: T, right: T) -> T {
    let l = left.m;
    let r = right.m;
    return T(
        vec4(
            rounded(r.x * l.x) + rounded(r.y * l.z),
            rounded(r.x * l.y) + rounded(r.y * l.w),
            rounded(r.z * l.x) + rounded(r.w * l.z),
            rounded(r.z * l.y) + rounded(r.w * l.w),
        ),
        vec2(
            rounded(r.x * left.v.x) + rounded(r.y * left.v.y) + right.v.x,
            rounded(r.z * left.v.x) + rounded(r.w * left.v.y) + right.v.y,
        ),
    );
}
