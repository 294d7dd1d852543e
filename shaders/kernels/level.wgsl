// One level of the canonical order along an axis of a matrix: every element whose place on the axis has bit
// `level` set takes in the total of its left sibling, which is that node's last element. Those are not changed by
// this level, so it can be done in place.
//
// Beyond a block's levels the same step folds the blocks: one block takes in the last element before it.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> table: array<T>;

@compute @workgroup_size(LANES)
fn level(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = (group.y * params.grid_x + group.x) * LANES + lane;
    if i >= params.count {
        return;
    }
    // Neighbouring lanes have neighbouring elements, whatever the axis.
    var step = i % params.steps;
    var line = i / params.steps;
    var along = 1u;
    var across = params.width;
    if params.down != 0u {
        line = i % params.width;
        step = i / params.width;
        along = params.width;
        across = 1u;
    }
    let low = step & ((1u << params.level) - 1u);
    let place = params.first + (((step >> params.level) << params.level) << 1u) + low;
    if place >= params.extent {
        return;
    }
    let sibling = ((place >> params.level) << params.level) - 1u;
    let origin = params.table_base + line * across;
    table[origin + place * along] = table[origin + sibling * along] + table[origin + place * along];
}
