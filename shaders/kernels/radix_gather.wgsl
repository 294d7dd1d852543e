// Elements in the order of a permutation, word by word; or, where there is none, in their own.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> dst_keys: array<u32>;

@compute @workgroup_size(LANES)
fn radix_gather(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let word = (group.y * params.grid_x + group.x) * LANES + lane;
    let i = word / GATHERED;
    if i >= length() {
        return;
    }
    let from_element = element(i) * GATHERED + word % GATHERED;
    dst_keys[params.dst_keys + word] = src_keys[params.src_keys + from_element];
}
