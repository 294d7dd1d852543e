// The order of u64 as two words, the lower first.
fn above(x: vec2<u32>, y: vec2<u32>) -> bool {
    return (x.y > y.y) | ((x.y == y.y) & (x.x > y.x));
}

fn below(x: vec2<u32>, y: vec2<u32>) -> bool {
    return above(y, x);
}
