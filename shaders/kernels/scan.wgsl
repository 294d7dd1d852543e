// Three-pass scan, third pass; alone it is the single-tile scan, and that of short rows. Each workgroup scans
// a tile, then lifts it by the left siblings its index names inside the block, then by the block's prefix.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<InCell>;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read> totals: array<T>;
@group(0) @binding(4) var<storage, read> prefixes: array<T>;

@compute @workgroup_size(LANES)
fn scan(@builtin(workgroup_id) group: vec3<u32>, lane: Lane) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.tiles {
        return;
    }
    let spot = find_spot(slot);
    let block = spot.tile / TILES_PER_BLOCK;
    let place = spot.tile % TILES_PER_BLOCK;

    let first = spot.bound * (TILE / 4u) + first_quad(lane);
    let whole = is_whole(spot.bound);
    var quads: Quads;
    if whole {
        quads = load_whole(first, stride(lane));
    } else {
        quads = load_ragged(first, stride(lane), params.count);
    }
    meet_block(spot.row, spot.tile, place, lane.index);
    let scanned = scan_tile(quads, lane);

    var prefix = T();
    if block > 0u {
        prefix = prefixes[spot.row * (params.blocks + 1u) + block];
    } else if STARTS {
        prefix = start();
    }
    finish_tile(scanned, place, block > 0u || STARTS, prefix, first, whole, lane);
}
