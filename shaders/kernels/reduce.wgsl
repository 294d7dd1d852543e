// Three-pass scan, first pass: the total of every whole tile.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<InCell>;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read_write> totals: array<T>;

@compute @workgroup_size(LANES)
fn reduce(@builtin(workgroup_id) group: vec3<u32>, lane: Lane) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.tiles {
        return;
    }
    let spot = find_spot(slot);
    // Nothing follows a tile that is cut short.
    if !is_whole(spot.bound) {
        return;
    }
    let quads = load_whole(spot.bound * (TILE / 4u) + first_quad(lane), stride(lane));
    let total = reduce_tile(quads, lane);
    if lane.index == 0u {
        totals[total_index(spot.row, spot.tile)] = total;
    }
}
