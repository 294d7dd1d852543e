// The lengths of runs from where they start: of as many as there are.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(8) var<storage, read> counts: array<u32>;

@compute @workgroup_size(LANES)
fn gaps(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let run = (group.y * params.grid_x + group.x) * LANES + lane;
    let count = counts[params.count_base];
    if run < count {
        var end = params.len;
        if run + 1u < count {
            end = starts[params.src_base + run + 1u];
        }
        lengths[params.dst_base + run] = end - starts[params.src_base + run];
    }
}
