/// The product of two numbers, as rounded: keeps a compiler from fusing it into the next addition.
fn rounded(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ params.zero);
}
