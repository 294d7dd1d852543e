// Clears the words of the bits that say where segments begin.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> heads: array<u32>;

@compute @workgroup_size(LANES)
fn clear_heads(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let word = (group.y * params.grid_x + group.x) * LANES + lane;
    if word < params.rows {
        heads[word] = 0u;
    }
}
