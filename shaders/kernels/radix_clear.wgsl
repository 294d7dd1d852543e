// Radix sort, before all else: empties the table but for the second half of the rows, and notes the length.
@group(0) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(LANES)
fn radix_clear(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = group.y * params.grid_x + group.x;
    let words = ROWS + params.tiles * BINS;
    let first = slot * CLEARED + lane;
    for (var word = first; word < min(first - lane + CLEARED, words); word = word + LANES) {
        atomicStore(&table[word], select(0u, length(), word == LENGTH));
    }
}
