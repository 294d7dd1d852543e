// Totals of rows, second pass: a workgroup makes the entries of a tile and the tree over them, and each lane takes
// rows that end there. A row that began in a tile before, one at most, is left pending. What is there of a row that
// goes on behind the tile is the tile's tail.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<InCell>;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read> ends: array<u32>;
@group(0) @binding(4) var<storage, read> cuts: array<u32>;
@group(0) @binding(5) var<storage, read_write> tails: array<T>;
@group(0) @binding(6) var<storage, read_write> pending: array<T>;

const TREE = Tree(0u, LEAVES);

@compute @workgroup_size(LANES)
fn row_tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.tiles {
        return;
    }
    for (var i = lane; i < TILE; i = i + LANES) {
        let at = slot * TILE + i;
        var value = T();
        if at < params.count {
            value = read_element(at);
        }
        nodes[node(TREE, 0u, i)] = value;
    }
    grow(TREE, lane);

    let tile = params.first_tile + slot;
    let origin = tile * TILE;
    let first = cuts[tile];
    let last = cuts[tile + 1u];
    if last - first <= TILE {
        for (var row = first + lane; row < last; row = row + LANES) {
            take_row(row, tile);
        }
    } else {
        // Most rows are empty. So each place looks for its row, and takes it if it is the last of it.
        for (var i = lane; i < TILE; i = i + LANES) {
            let row = segment_of(origin + i, first, last);
            if row < last && end_of(row) - origin == i + 1u {
                take_row(row, tile);
            }
        }
    }
    // The first lane has a row to take.
    if lane == LANES - 1u {
        let begin = begin_of(last);
        if begin <= origin {
            tails[tile] = root(TREE);
        } else if begin - origin < TILE {
            tails[tile] = total_from(TREE, LEVELS, begin - origin);
        }
    }
}

/// Takes `row`, which ends in the tile, unless it is empty.
fn take_row(row: u32, tile: u32) {
    let origin = tile * TILE;
    let begin = begin_of(row);
    let end = end_of(row);
    if begin >= end {
        return;
    }
    // Offsets that decrease may name places of other tiles.
    let leaf = min(end - 1u - origin, TILE - 1u);
    let total = total_between(TREE, max(begin, origin) - origin, leaf, nodes[node(TREE, 0u, leaf)]);
    if begin < origin {
        pending[tile] = total;
    } else {
        write_result(row, leave(total, row));
    }
}
