// Radix sort, first of all passes: the histograms of all digits in one go over the keys.
@group(0) @binding(0) var<uniform> params: Params;

var<workgroup> bins: array<atomic<u32>, DIGITS * BINS>;
var<workgroup> known_length: u32;

@compute @workgroup_size(LANES)
fn radix_count(@builtin(workgroup_id) group: vec3<u32>, lane: Lane) {
    if lane.index == 0u {
        known_length = length();
    }
    for (var bin = lane.index; bin < DIGITS * BINS; bin = bin + LANES) {
        atomicStore(&bins[bin], 0u);
    }
    let length = workgroupUniformLoad(&known_length);
    let tiles = (length + TILE - 1u) / TILE;
    for (var tile = group.x; tile < tiles; tile = tile + params.grid_x) {
        let first = tile * TILE + lane.index;
        let keys = load_tile(first, LANES, length - 1u);
        if length - tile * TILE >= TILE {
            count_whole(keys, lane);
        } else {
            count_ragged(keys, first, length);
        }
    }
    workgroupBarrier();
    for (var bin = lane.index; bin < DIGITS * BINS; bin = bin + LANES) {
        let count = atomicLoad(&bins[bin]);
        if count > 0u {
            atomicAdd(&table[HISTOGRAMS + bin], count);
        }
    }
}
