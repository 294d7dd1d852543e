@group(0) @binding(9) var<storage, read> columns: array<u32>;

/// The columns of four entries.
fn columns_of(i: u32) -> vec4<u32> {
    let at = params.columns_base + 4u * i;
    return vec4(columns[at], columns[at + 1u], columns[at + 2u], columns[at + 3u]);
}
