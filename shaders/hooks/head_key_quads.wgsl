// Segments begin where a key of one word differs from the one before it; four keys are read at once.
@group(0) @binding(7) var<storage, read> keys: array<vec4<u32>>;

fn key(at: u32) -> u32 {
    return keys[at / 4u][at % 4u];
}

fn head(i: u32) -> bool {
    let element = params.first_element + i;
    let at = params.extra_base + element;
    return (element == 0u) | (key(at) != key(max(at, 1u) - 1u));
}

/// Which elements of quad `i` are heads.
fn heads_of_quad(i: u32) -> vec4<bool> {
    let quad = params.first_element / 4u + i;
    let at = params.extra_base / 4u + quad;
    let of_quad = keys[at];
    let before = keys[max(at, 1u) - 1u].w;
    let is_first = (quad == 0u) | (before != of_quad.x);
    return vec4(is_first, of_quad.x != of_quad.y, of_quad.y != of_quad.z, of_quad.z != of_quad.w);
}
