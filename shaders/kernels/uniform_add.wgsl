// The last pass of the textbook algorithms: every element of a tile takes in the sum of all tiles before
// it. Nothing lies before tile 0.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read_write> totals: array<u32>;

@compute @workgroup_size(LANES)
fn uniform_add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = group.y * params.grid_x + group.x;
    let tile = params.first_tile + slot;
    if slot >= params.tiles || tile == 0u {
        return;
    }
    let sum = read_total(tile);
    let at = slot * TILE;
    let present = min(TILE, params.count - at);
    for (var i = lane; i < present; i = i + LANES) {
        write_element(at + i, combine(sum, read_element(at + i)));
    }
}
