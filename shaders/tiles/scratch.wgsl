// The trees over the tiles of all blocks, in scratch memory, where a kernel of its own grew them: for
// elements so wide that workgroup memory does not hold one beside a tile.
fn tree_index(row: u32, block: u32) -> u32 {
    return (row * params.blocks_per_row + block) * 2u * TILES_PER_BLOCK;
}

/// Where the total of a tile lies in `totals`.
fn total_index(row: u32, tile: u32) -> u32 {
    return tree_index(row, tile / TILES_PER_BLOCK) + tile % TILES_PER_BLOCK;
}
