// A value enters as its product with the vector's element of its column. A column that is not there has a zero.
@group(0) @binding(10) var<storage, read> columns: array<u32>;
@group(0) @binding(11) var<storage, read> vector: array<f32>;

fn enter(value: In, i: u32) -> T {
    let column = columns[params.columns_base + params.first_element + i];
    var product = 0.0;
    if column < params.vector_len {
        product = rounded(value * vector[params.vector_base + column]);
    }
    return T(u32(head(i)), product);
}
