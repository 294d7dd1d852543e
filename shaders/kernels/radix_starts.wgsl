// Radix sort, once for each digit: its histogram becomes the places at which each value of it starts. Where
// one value has all keys, there is nothing to be moved.
@group(0) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(LANES)
fn radix_starts(@builtin(workgroup_id) group: vec3<u32>, lane: Lane) {
    let digit = group.y * params.grid_x + group.x;
    if digit >= MOST_DIGITS {
        return;
    }
    let bin = HISTOGRAMS + digit * BINS + place_of(lane);
    let count = atomicLoad(&table[bin]);
    let start = scan_lanes(count, lane).before;
    atomicStore(&table[bin], start);
    if count > 0u && count == length() {
        atomicStore(&table[AGREED + digit], 1u);
    }
}
