// The order of i64 as two words, the lower first; the sign is in the upper one.
fn above(x: vec2<u32>, y: vec2<u32>) -> bool {
    return (bitcast<i32>(x.y) > bitcast<i32>(y.y)) | ((x.y == y.y) & (x.x > y.x));
}

fn below(x: vec2<u32>, y: vec2<u32>) -> bool {
    return above(y, x);
}
