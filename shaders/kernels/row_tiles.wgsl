// Totals of rows, second pass: a workgroup makes the entries of a tile, quad by quad, and the tree over the quads as
// far as rows need it, and lanes take rows that end there. A row that began in a tile before, one at most, is left
// pending. What is there of a row that goes on behind the tile is the tile's tail.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<InCell>;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read> ends: array<u32>;
@group(0) @binding(4) var<storage, read> cuts: array<u32>;
@group(0) @binding(5) var<storage, read_write> tails: array<T>;
@group(0) @binding(6) var<storage, read_write> pending: array<T>;

/// Its leaves are totals of quads.
const TREE = Tree(0u, LEAVES);

var<workgroup> quads: array<Quad, LEAVES>;

@compute @workgroup_size(LANES)
fn row_tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.tiles {
        return;
    }
    // All that is read is on its way before any of it is waited for. Behind the last entry anything will do.
    let at = slot * LEAVES + lane;
    let held = entries_of(at);
    let tile = params.first_tile + slot;
    let first = cuts[tile];
    let last = cuts[tile + 1u];
    var row = find_row(min(first + lane, last));
    var next = find_row(min(first + lane + LANES, last));
    let is_crowded = last - first > TILE;
    let levels = levels_for(first, last, is_crowded);
    let quad = entered(held, at);
    quads[lane] = quad;
    nodes[node(TREE, 0u, lane)] = total_of_quad(quad);
    grow_levels(TREE, levels, lane);

    // The last of the rows is the one that goes on. With more rows than places nearly all are empty: then each place
    // looks for its row, and takes it if it is the last of it.
    let steps = select(last - first + 1u, TILE, is_crowded);
    for (var i = lane; i < steps; i = i + LANES) {
        let after = find_row(min(first + i + 2u * LANES, last));
        if is_crowded {
            row = find_row(segment_of(tile * TILE + i, first, last));
        }
        take_row(row, tile, last, select(TILE, i, is_crowded));
        row = next;
        next = after;
    }
}

/// How many levels above the tree's leaves the rows from `first` to `last` need: as many as the longest of all groups
/// that they lie in. These are three at most.
fn levels_for(first: u32, last: u32, is_crowded: bool) -> u32 {
    let from_group = first / ROWS_IN_GROUP;
    let to_group = last / ROWS_IN_GROUP;
    let a = cuts[params.levels_base + from_group];
    let b = cuts[params.levels_base + min(from_group + 1u, to_group)];
    let c = cuts[params.levels_base + to_group];
    return select(min(max(max(a, b), c), LEVELS), LEVELS, is_crowded);
}

/// Takes what is in the tile of `row`, if anything is. Of a row that looks for itself, only `place` does, which has to be
/// its last one.
fn take_row(row: Row, tile: u32, last: u32, place: u32) {
    let origin = tile * TILE;
    let goes_on = row.number >= last;
    // Offsets that decrease may name places of other tiles.
    let behind = select(min(row.end - origin, TILE), TILE, goes_on);
    let begin = max(row.begin, origin) - origin;
    if begin >= behind || (place < TILE && place + 1u != behind) {
        return;
    }
    let total = total_in_tile(begin, behind - 1u);
    if goes_on {
        tails[tile] = total;
    } else if row.begin < origin {
        pending[tile] = total;
    } else {
        write_result(row.number, leave(total, row.number));
    }
}

/// The total of the places from `first` to `last` of the tile.
fn total_in_tile(first: u32, last: u32) -> T {
    let from_leaf = first >> 2u;
    let to_leaf = last >> 2u;
    let is_one = from_leaf == to_leaf;
    var total = total_of_part(quads[to_leaf], select(0u, first & 3u, is_one), last & 3u);
    if !is_one {
        let head = total_of_part(quads[from_leaf], first & 3u, 3u);
        total = total_between(TREE, from_leaf, head, to_leaf, total);
    }
    return total;
}
