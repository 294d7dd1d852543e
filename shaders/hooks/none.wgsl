// Elements come and go as they are.
fn enter(value: In, i: u32) -> T {
    return value;
}

fn leave(value: T, i: u32) -> Out {
    return value;
}
