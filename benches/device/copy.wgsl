// The least that a scan can move: every quad read once and written once.
@group(0) @binding(0) var<storage, read> src: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4<u32>>;

const QUADS = 8u;

@compute @workgroup_size(256)
fn copy(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.y * groups.x + group.x) * QUADS * 256u + lane;
    for (var q = 0u; q < QUADS; q = q + 1u) {
        let i = first + q * 256u;
        if i < arrayLength(&dst) {
            dst[i] = src[i];
        }
    }
}
