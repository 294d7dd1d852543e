// Three-pass scan of wide elements, between the first pass and the fold: each workgroup grows the tree over
// the tiles of one block, whose leaves are the tiles' totals.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> totals: array<T>;

@compute @workgroup_size(LANES)
fn grow_trees(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = group.y * params.grid_x + group.x;
    if tree >= params.tiles {
        return;
    }
    var level = tree * 2u * TILES_PER_BLOCK;
    for (var parents = TILES_PER_BLOCK / 2u; parents > 0u; parents = parents / 2u) {
        let above = level + 2u * parents;
        for (var i = lane; i < parents; i = i + LANES) {
            totals[above + i] = combine(totals[level + 2u * i], totals[level + 2u * i + 1u]);
        }
        level = above;
        storageBarrier();
    }
}
