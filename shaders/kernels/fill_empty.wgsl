// Segments without elements get the identity.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;

@compute @workgroup_size(LANES)
fn fill_empty(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let segment = (group.y * params.grid_x + group.x) * LANES + lane;
    if segment < params.results {
        let start = offsets[params.extra_base + segment];
        let end = min(offsets[params.extra_base + segment + 1u], params.len);
        if start >= end {
            write_result(segment, map_out(identity_of_values()));
        }
    }
}
