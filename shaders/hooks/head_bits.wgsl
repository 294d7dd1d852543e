// Segments begin where a bit is set, from the lowest of the first word on.
@group(0) @binding(7) var<storage, read> heads: array<u32>;

fn head(i: u32) -> bool {
    let at = params.first_element + i;
    return extractBits(heads[at / 32u], at % 32u, 1u) == 1u;
}
