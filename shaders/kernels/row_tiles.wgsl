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

@compute @workgroup_size(LANES)
fn row_tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.tiles {
        return;
    }
    if lane == 0u {
        atomicStore(&longest, 0u);
    }
    // All that is read is on its way before any of it is waited for. Behind the last entry anything will do.
    let tile = params.first_tile + slot;
    let first = cuts[tile];
    let last = cuts[tile + 1u];
    let origin = tile * TILE;
    let most = params.count - 1u;
    let at = slot * TILE + lane;
    let a = read_element(min(at, most));
    let b = read_element(min(at + LANES, most));
    let c = read_element(min(at + 2u * LANES, most));
    let d = read_element(min(at + 3u * LANES, most));
    var length = length_in_tile(find_row(first + lane), origin);
    let open = find_row(last);
    nodes[lane] = a;
    nodes[lane + LANES] = b;
    nodes[lane + 2u * LANES] = c;
    nodes[lane + 3u * LANES] = d;
    workgroupBarrier();

    // Most rows are empty, if there are more than entries.
    let most_are_empty = last - first > TILE;
    // What is behind the last row is longer than it is here.
    length = max(length, TILE - min(max(open.begin, origin) - origin, TILE));
    if most_are_empty {
        length = TILE;
    } else {
        for (var number = first + lane + LANES; number < last; number = number + LANES) {
            length = max(length, length_in_tile(find_row(number), origin));
        }
    }
    grow_trunk(length, lane);

    // Where most are empty each place looks for its row, and takes it if it is the last of it.
    let number = select(last - first, TILE, most_are_empty);
    for (var i = lane; i < number; i = i + LANES) {
        var row = first + i;
        if most_are_empty {
            row = segment_of(origin + i, first, last);
        }
        let here = find_row(row);
        if !most_are_empty || (row < last && here.end - origin == i + 1u) {
            take_row(here, tile);
        }
    }
    // The first lane has a row to take.
    if lane == LANES - 1u {
        if open.begin <= origin {
            tails[tile] = root(TRUNK);
        } else if open.begin - origin < TILE {
            tails[tile] = total_from(TRUNK, LEVELS, open.begin - origin);
        }
    }
}

/// Entries of a row that the tile has.
fn length_in_tile(row: Row, origin: u32) -> u32 {
    let end = min(row.end - origin, TILE);
    return end - min(max(row.begin, origin) - origin, end);
}

/// Takes `row`, which ends in the tile, unless it is empty.
fn take_row(row: Row, tile: u32) {
    if row.begin >= row.end {
        return;
    }
    let origin = tile * TILE;
    // Offsets that decrease may name places of other tiles.
    let leaf = min(row.end - 1u - origin, TILE - 1u);
    let total = total_between(TRUNK, max(row.begin, origin) - origin, leaf, nodes[leaf]);
    if row.begin < origin {
        pending[tile] = total;
    } else {
        write_result(row.number, leave(total, row.number));
    }
}
