// Totals of rows, fourth pass, one lane a block: the left fold over the blocks before one, for the row that is pending
// in it.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read> ends: array<u32>;
@group(0) @binding(4) var<storage, read> cuts: array<u32>;
@group(0) @binding(7) var<storage, read> block_tails: array<T>;
@group(0) @binding(8) var<storage, read> block_pending: array<T>;

@compute @workgroup_size(LANES)
fn finish_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = (group.y * params.grid_x + group.x) * LANES + lane;
    if block >= params.blocks {
        return;
    }
    let tile = block * TILES_PER_BLOCK;
    let row = find_row(cuts[tile]);
    let first = row.begin / (TILES_PER_BLOCK * TILE);
    if first < block && row.number < cuts[min(tile + TILES_PER_BLOCK, params.tiles)] {
        var prefix = block_tails[first];
        for (var before = first + 1u; before < block; before = before + 1u) {
            prefix = combine(prefix, block_tails[before]);
        }
        write_result(row.number, leave(combine(prefix, block_pending[block]), row.number));
    }
}
