// Segmented radix sort: which segment each element of a permutation belongs to, that is how many of the
// segments have started at its place (a binary search).
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> dst_keys: array<u32>;
@group(0) @binding(6) var<storage, read> extra: array<u32>;

@compute @workgroup_size(LANES)
fn radix_segments(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = (group.y * params.grid_x + group.x) * LANES + lane;
    if i >= length() {
        return;
    }
    let place = src_values[params.src_values + i];
    var low = 0u;
    var high = params.segments;
    while low < high {
        let middle = (low + high) / 2u;
        if extra[params.extra + middle] <= place {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    dst_keys[params.dst_keys + i] = low;
}
