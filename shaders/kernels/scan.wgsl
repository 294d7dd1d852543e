// Three-pass scan, third pass; alone it is the single-tile scan. Each workgroup scans a tile, then lifts it
// by the left siblings its index names inside the block, then by the prefix of the block.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<Cell>;
@group(0) @binding(2) var<storage, read_write> dst: array<Cell>;
@group(0) @binding(3) var<storage, read> totals: array<T>;
@group(0) @binding(4) var<storage, read> prefixes: array<T>;

fn tiles_of_block() -> Tree {
    return Tree(2u * LEAVES, TILES_PER_BLOCK);
}

/// The inclusive prefix of the last element before `tile`, which is not the first one.
fn prefix_before(tile: u32) -> T {
    let block = tile / TILES_PER_BLOCK;
    if tile % TILES_PER_BLOCK == 0u {
        return prefixes[block];
    }
    let tree = tiles_of_block();
    let previous = tile % TILES_PER_BLOCK - 1u;
    var prefix = nodes[node(tree, 0u, previous)];
    for (var level = 0u; (TILES_PER_BLOCK >> level) > 1u; level = level + 1u) {
        if has_left(previous, level) {
            prefix = combine(left_of(tree, previous, level), prefix);
        }
    }
    if block > 0u {
        prefix = combine(prefixes[block], prefix);
    }
    return prefix;
}

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

    let tree = tiles_of_block();
    if place > 0u {
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
    for (var level = 0u; (TILES_PER_BLOCK >> level) > 1u; level = level + 1u) {
        if has_left(place, level) {
            quads = lift_all(left_of(tree, place, level), quads);
        }
    }
    if block > 0u {
        quads = lift_all(prefixes[block], quads);
    }

    if EXCLUSIVE {
        var before = identity();
        if tile > 0u {
            before = prefix_before(tile);
        }
        quads = shift_tile(quads, before, lane);
    }

    if whole {
        store_whole(first, stride(lane), quads);
    } else {
        store_ragged(first, stride(lane), quads, params.count);
    }
}
