/// Four values with their heads.
fn enter_quad(inputs: Inputs, i: u32) -> Quad {
    let heads = select(vec4(0u), vec4(1u), heads_of_quad(i));
    return Quad(
        T(heads.x, map_in(inputs.x)),
        T(heads.y, map_in(inputs.y)),
        T(heads.z, map_in(inputs.z)),
        T(heads.w, map_in(inputs.w)),
    );
}
