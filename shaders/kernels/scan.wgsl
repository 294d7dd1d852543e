// Three-pass scan, third pass; alone it is the single-tile scan. Each workgroup scans a tile, then lifts it
// by the left siblings its index names inside the block, then by the prefix of the block.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<Cell>;
@group(0) @binding(2) var<storage, read_write> dst: array<Cell>;
@group(0) @binding(3) var<storage, read> totals: array<T>;
@group(0) @binding(4) var<storage, read> prefixes: array<T>;

@compute @workgroup_size(LANES)
fn scan(@builtin(workgroup_id) group: vec3<u32>, lane: Lane) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.tiles {
        return;
    }
    let tile = params.first_tile + slot;
    let block = tile / TILES_PER_BLOCK;
    let place = tile % TILES_PER_BLOCK;

    let first = slot * (TILE / 4u) + first_quad(lane);
    let whole = params.count - slot * TILE >= TILE;
    var quads: Quads;
    if whole {
        quads = load_whole(first, stride(lane));
    } else {
        quads = load_ragged(first, stride(lane), params.count);
    }

    if place > 0u {
        let tree = tiles_of_block();
        for (var i = lane.index; i < TILES_PER_BLOCK; i = i + LANES) {
            var total = T();
            if i < place {
                total = totals[tile - place + i];
            }
            nodes[node(tree, 0u, i)] = total;
        }
        grow(tree, lane.index);
    }
    quads = scan_tile(quads, lane);

    var prefix = T();
    if block > 0u {
        prefix = prefixes[block];
    }
    finish_tile(quads, place, block > 0u, prefix, first, whole, lane);
}
