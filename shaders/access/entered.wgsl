fn read_quad(i: u32) -> Quad {
    return enter_quad(input_quad(i), i);
}

/// What is not there comes out as anything: nothing before it depends on it.
fn read_ragged(i: u32, count: u32) -> Quad {
    return enter_quad(input_in_row(i, count), quad_in_row(i));
}
