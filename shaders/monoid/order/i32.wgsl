// The order of i32.
fn above(x: i32, y: i32) -> bool {
    return x > y;
}

fn below(x: i32, y: i32) -> bool {
    return x < y;
}
