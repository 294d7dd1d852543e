/// What becomes of the quad `i` on its way in.
fn enter_quad(inputs: Inputs, i: u32) -> Quad {
    return Quad(
        enter(inputs.x, 4u * i),
        enter(inputs.y, 4u * i + 1u),
        enter(inputs.z, 4u * i + 2u),
        enter(inputs.w, 4u * i + 3u),
    );
}
