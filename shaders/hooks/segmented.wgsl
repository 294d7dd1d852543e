// A value enters with its head, if it is one; results leave without.
fn enter(value: In, i: u32) -> T {
    return T(u32(head(i)), map_in(value));
}

fn leave(value: T, i: u32) -> Out {
    if EXCLUSIVE && head(i) {
        return map_out(identity_of_values());
    }
    return map_out(value.value);
}
