// Zeros in every counter, before samples are counted.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;

@compute @workgroup_size(LANES)
fn clear(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = (group.y * params.grid_x + group.x) * LANES + lane;
    if at < params.count {
        atomicStore(&counts[params.counts_base + at], 0u);
    }
}
