// Load-balancing search, first pass: the segment that holds each tile's first item, one search a lane.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> ends: array<u32>;
@group(0) @binding(2) var<storage, read_write> cuts: array<u32>;

@compute @workgroup_size(LANES)
fn cut(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = (group.y * params.grid_x + group.x) * LANES + lane;
    if i > params.tiles {
        return;
    }
    // Behind the last tile nothing begins, and its place may be beyond 32 bits.
    var segment = params.segments;
    if i < params.tiles {
        segment = segment_of(i * TILE, 0u, params.segments);
    }
    cuts[i] = segment;
}
