// A value enters as its product with the vector's element of its column. A column that is not there has a zero.
@group(0) @binding(10) var<storage, read> vector: array<f32>;

fn times_vector(value: In, column: u32) -> T {
    let is_there = column < params.vector_len;
    let product = rounded(value * vector[params.vector_base + select(0u, column, is_there)]);
    return select(0.0, product, is_there);
}

fn leave(value: T, i: u32) -> Out {
    return value;
}
