// A value enters as its product with the vector's element of its column. A column that is not there has a zero.
@group(0) @binding(9) var<storage, read> columns: array<u32>;
@group(0) @binding(10) var<storage, read> vector: array<f32>;

fn enter(value: In, i: u32) -> T {
    let column = columns[params.columns_base + i];
    let is_there = column < params.vector_len;
    let product = rounded(value * vector[params.vector_base + select(0u, column, is_there)]);
    return select(0.0, product, is_there);
}

fn leave(value: T, i: u32) -> Out {
    return value;
}
