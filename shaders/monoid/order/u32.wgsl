// The order of u32.
fn above(x: u32, y: u32) -> bool {
    return x > y;
}

fn below(x: u32, y: u32) -> bool {
    return x < y;
}
