@group(0) @binding(9) var<storage, read> columns: array<vec4<u32>>;

/// The columns of four entries.
fn columns_of(i: u32) -> vec4<u32> {
    return columns[params.columns_base + i];
}
