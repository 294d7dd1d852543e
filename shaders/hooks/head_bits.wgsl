// Segments begin where a bit is set, from the lowest of the first word on.
@group(0) @binding(7) var<storage, read> heads: array<u32>;

fn head(i: u32) -> bool {
    let at = params.first_element + i;
    return extractBits(heads[at / 32u], at % 32u, 1u) == 1u;
}

/// Which elements of quad `i` are heads: their bits are in one word.
fn heads_of_quad(i: u32) -> vec4<bool> {
    let at = params.first_element + 4u * i;
    let bits = heads[at / 32u] >> (at % 32u);
    return (vec4(bits) & vec4(1u, 2u, 4u, 8u)) != vec4(0u);
}
