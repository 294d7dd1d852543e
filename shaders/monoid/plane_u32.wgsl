// Two maps x -> M x + v of the plane, one after the other; the matrix (x, y) above (z, w). Wrapping.
fn combine(left: T, right: T) -> T {
    let l = left.m;
    let r = right.m;
    return T(
        vec4(
            r.x * l.x + r.y * l.z,
            r.x * l.y + r.y * l.w,
            r.z * l.x + r.w * l.z,
            r.z * l.y + r.w * l.w,
        ),
        vec2(
            r.x * left.v.x + r.y * left.v.y + right.v.x,
            r.z * left.v.x + r.w * left.v.y + right.v.y,
        ),
    );
}
