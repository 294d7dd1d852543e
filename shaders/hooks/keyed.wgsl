// A value becomes its key on its way in, and results are values again on their way out.
fn map_in(value: In) -> T {
    return key_of(value_in(value));
}

fn map_out(key: T) -> Out {
    return value_out(value_of(key));
}
