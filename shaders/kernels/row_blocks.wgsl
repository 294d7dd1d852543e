// Totals of rows, third pass: a workgroup makes the tree over the tails of a block's tiles, and each lane goes on with
// the row that is pending in a tile. One that began in a block before is left pending once more, and what is there of
// a row that goes on behind the block is the block's tail. All of them lie in one buffer, so all can be written.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read> ends: array<u32>;
@group(0) @binding(4) var<storage, read> cuts: array<u32>;
@group(0) @binding(5) var<storage, read_write> tails: array<T>;
@group(0) @binding(6) var<storage, read_write> pending: array<T>;
@group(0) @binding(7) var<storage, read_write> block_tails: array<T>;
@group(0) @binding(8) var<storage, read_write> block_pending: array<T>;

const TREE = Tree(0u, LEAVES);

@compute @workgroup_size(LANES)
fn row_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = group.y * params.grid_x + group.x;
    if block >= params.blocks {
        return;
    }
    let origin = block * LEAVES;
    let behind = min(origin + LEAVES, params.tiles);
    // Lanes without a tile do what the last one with one does, and store nothing.
    let tile = min(origin + lane, behind - 1u);
    let row = find_row(cuts[tile]);
    let is_pending = row.number < cuts[tile + 1u] && row.begin < tile * TILE;
    let open = find_row(cuts[behind]).begin / TILE;
    let value = pending[tile];
    nodes[node(TREE, 0u, lane)] = tails[tile];
    grow_levels(TREE, LEVELS, lane);

    if origin + lane < behind && is_pending {
        let total = total_in_block(max(row.begin / TILE, origin) - origin, lane, value);
        if row.begin < origin * TILE {
            block_pending[block] = total;
        } else {
            write_result(row.number, leave(total, row.number));
        }
    }
    if lane == LANES - 1u && (open < origin || open - origin < LEAVES) {
        block_tails[block] = total_in_block(max(open, origin) - origin, lane, nodes[node(TREE, 0u, lane)]);
    }
}

/// The total of the tiles from `first` to `last`, where `value` stands for the last one.
fn total_in_block(first: u32, last: u32, value: T) -> T {
    var total = value;
    if first < last {
        total = total_between(TREE, first, nodes[node(TREE, 0u, first)], last, value);
    }
    return total;
}
