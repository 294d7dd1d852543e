// Totals of rows, third pass: a workgroup makes the tree over the tails of a block's tiles, and each lane goes on with
// the row that is pending in a tile. One that began in a block before is left pending once more, and what is there of
// a row that goes on behind the block is the block's tail.
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
    let origin = block * TILES_PER_BLOCK;
    let tile = origin + lane;
    var tail = T();
    if tile < params.tiles {
        tail = tails[tile];
    }
    nodes[node(TREE, 0u, lane)] = tail;
    grow(TREE, lane);

    if tile < params.tiles {
        let row = cuts[tile];
        let begin = begin_of(row);
        if row < cuts[tile + 1u] && begin < tile * TILE {
            let first = max(begin / TILE, origin) - origin;
            let total = total_between(TREE, first, lane, pending[tile]);
            if begin < origin * TILE {
                block_pending[block] = total;
            } else {
                write_result(row, leave(total, row));
            }
        }
    }
    if lane == LANES - 1u && block + 1u < params.blocks {
        let begin = begin_of(cuts[origin + TILES_PER_BLOCK]) / TILE;
        if begin <= origin {
            block_tails[block] = root(TREE);
        } else if begin - origin < TILES_PER_BLOCK {
            block_tails[block] = total_from(TREE, LEVELS, begin - origin);
        }
    }
}
