// Elements enter one by one where they have to; results come as they go.
fn enter(value: In, i: u32) -> T {
    return map_in(value);
}

fn leave(value: Out, i: u32) -> Out {
    return value;
}
