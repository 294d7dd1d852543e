// Sets the bit of every element at which a segment begins. Segments that begin behind the last element, and
// several at one, are taken as they come.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> heads: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read> offsets: array<u32>;

@compute @workgroup_size(LANES)
fn mark_heads(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let segment = (group.y * params.grid_x + group.x) * LANES + lane;
    if segment < params.rows {
        let at = offsets[params.extra_base + segment];
        if at < params.count {
            atomicOr(&heads[at / 32u], 1u << (at % 32u));
        }
    }
}
