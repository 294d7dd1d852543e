// The tree over the tiles of one block, in workgroup memory behind the tile's own: its leaves are the totals
// of the tiles before this one, and each workgroup grows it for itself.
fn tiles_of_block() -> Tree {
    return Tree(2u * LEAVES, TILES_PER_BLOCK);
}

/// Levels of that tree above its leaves.
fn levels_in_block() -> u32 {
    return firstTrailingBit(TILES_PER_BLOCK);
}

/// The leaf of tile `i` of the block.
fn leaf_in_block(i: u32) -> T {
    return nodes[node(tiles_of_block(), 0u, i)];
}

/// The total of the left sibling of the subtree of 2^level tiles that holds tile `i`.
fn left_in_block(i: u32, level: u32) -> T {
    return left_of(tiles_of_block(), i, level);
}
