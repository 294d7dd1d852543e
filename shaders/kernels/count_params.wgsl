// The parameters of a dispatch for as many elements as a count in memory says, and no more than there is room
// for: what the host would have written, had it known. `params` are those for all elements.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> counted: Params;
@group(0) @binding(8) var<storage, read> counts: array<u32>;

@compute @workgroup_size(LANES)
fn count_params(@builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        let count = min(counts[params.count_base], params.len);
        var here = params;
        here.count = count;
        here.len = count;
        here.blocks = count / (TILE * TILES_PER_BLOCK);
        here.tiles = count / TILE;
        // Only the pass over totals leaves out a tile that is cut short.
        if ROUNDS_UP && count % TILE > 0u {
            here.tiles = here.tiles + 1u;
        }
        counted = here;
    }
}
