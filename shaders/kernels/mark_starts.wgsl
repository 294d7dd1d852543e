// Sets the bit of every element at which a segment with elements begins, and notes, behind all bits, where its results
// do. Of segments that begin at one element only the last has any.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> heads: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read> offsets: array<u32>;
@group(0) @binding(12) var<storage, read> starts: array<u32>;

@compute @workgroup_size(LANES)
fn mark_starts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let segment = (group.y * params.grid_x + group.x) * LANES + lane;
    if segment >= params.rows {
        return;
    }
    let at = offsets[params.extra_base + segment];
    var is_last = true;
    if segment + 1u < params.rows {
        is_last = offsets[params.extra_base + segment + 1u] != at;
    }
    if is_last && at < params.count {
        atomicOr(&heads[at / 32u], 1u << (at % 32u));
        atomicStore(&heads[params.dst_base + at], starts[params.start_base + segment]);
    }
}
