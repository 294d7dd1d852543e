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
    // All that is read is on its way before any of it is waited for. Behind the last entry anything will do.
    let tile = params.first_tile + slot;
    let first = cuts[tile];
    let last = cuts[tile + 1u];
    let most = params.count - 1u;
    let at = slot * TILE + lane;
    let a = read_element(min(at, most));
    let b = read_element(min(at + LANES, most));
    let c = read_element(min(at + 2u * LANES, most));
    let d = read_element(min(at + 3u * LANES, most));
    var row = find_row(first + lane);
    let open = find_row(last);
    nodes[node(TREE, 0u, lane)] = a;
    nodes[node(TREE, 0u, lane + LANES)] = b;
    nodes[node(TREE, 0u, lane + 2u * LANES)] = c;
    nodes[node(TREE, 0u, lane + 3u * LANES)] = d;
    grow(TREE, lane);

    let origin = tile * TILE;
    if last - first <= TILE {
        while row.number < last {
            take_row(row, tile);
            row = find_row(row.number + LANES);
        }
    } else {
        // Most rows are empty. So each place looks for its row, and takes it if it is the last of it.
        for (var i = lane; i < TILE; i = i + LANES) {
            row = find_row(segment_of(origin + i, first, last));
            if row.number < last && row.end - origin == i + 1u {
                take_row(row, tile);
            }
        }
    }
    // The first lane has a row to take.
    if lane == LANES - 1u {
        if open.begin <= origin {
            tails[tile] = root(TREE);
        } else if open.begin - origin < TILE {
            tails[tile] = total_from(TREE, LEVELS, open.begin - origin);
        }
    }
}

/// Takes `row`, which ends in the tile, unless it is empty.
fn take_row(row: Row, tile: u32) {
    if row.begin >= row.end {
        return;
    }
    let origin = tile * TILE;
    // Offsets that decrease may name places of other tiles.
    let leaf = min(row.end - 1u - origin, TILE - 1u);
    let total = total_between(TREE, max(row.begin, origin) - origin, leaf, nodes[node(TREE, 0u, leaf)]);
    if row.begin < origin {
        pending[tile] = total;
    } else {
        write_result(row.number, leave(total, row.number));
    }
}
