// The lowest level of the canonical order along rows, from one matrix into another.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> values: array<T>;
@group(0) @binding(2) var<storage, read_write> table: array<T>;

@compute @workgroup_size(LANES)
fn first_level(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = (group.y * params.grid_x + group.x) * LANES + lane;
    if i >= params.count {
        return;
    }
    let at = params.values_base + i;
    var value = values[at];
    if (i % params.width & 1u) == 1u {
        value = values[at - 1u] + value;
    }
    table[params.table_base + i] = value;
}
