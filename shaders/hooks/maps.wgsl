// What becomes of element `i` on its way in, and of result `i` on its way out: the maps.
fn enter(value: In, i: u32) -> T {
    return map_in(value);
}

fn leave(value: T, i: u32) -> Out {
    return map_out(value);
}
