// Totals of rows, first pass, one lane for each tile, and for each row: the first row that ends behind the begin of
// each tile, and the identity for rows without entries.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read> ends: array<u32>;
@group(0) @binding(4) var<storage, read_write> cuts: array<u32>;

@compute @workgroup_size(LANES)
fn cut_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = (group.y * params.grid_x + group.x) * LANES + lane;
    if i < params.rows {
        let row = find_row(i);
        if row.begin >= row.end {
            write_result(i, leave(identity(), i));
        }
    }
    // All rows end before what is behind the last tile, a place that may be beyond 32 bits.
    if i < params.tiles {
        cuts[i] = segment_of(i * TILE, 0u, params.rows);
    } else if i == params.tiles {
        cuts[i] = params.rows;
    }
}
