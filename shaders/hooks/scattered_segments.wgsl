// Results go where those of their segment begin, in their order. A head enters by its place, counted from 1.
fn enter(value: In, i: u32) -> T {
    return T(select(0u, params.first_element + i + 1u, head(i)), map_in(value));
}

fn place(value: T, element: In, i: u32) -> u32 {
    let at = params.first_element + i;
    // An exclusive result comes from the element before.
    let begins = select(value.head, at + 1u, EXCLUSIVE && head(i));
    if begins == 0u {
        return NOWHERE; // before all segments
    }
    let within = at + 1u - begins;
    let index = heads[params.extra_base + begins - 1u] + within;
    // Neither behind the output nor around all numbers.
    let room = (arrayLength(&dst) - params.dst_base) / OUT_WORDS;
    return select(NOWHERE, index, index >= within && index < room);
}

fn send(value: T, element: In, i: u32) -> Out {
    if EXCLUSIVE && head(i) {
        return map_out(identity_of_values());
    }
    return map_out(value.value);
}
