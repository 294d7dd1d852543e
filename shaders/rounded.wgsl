/// The product of two numbers, as rounded: keeps a compiler from fusing it into the next addition.
fn rounded(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ params.zero);
}

/// The sum of two numbers, as rounded: keeps a compiler from taking apart again what was added. The product with one
/// changes nothing, and costs nothing where products are fused with sums.
fn rounded_sum(x: f32, y: f32) -> f32 {
    return fma(x, bitcast<f32>(params.zero | 0x3f800000u), y);
}
