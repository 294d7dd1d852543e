// The tree over the tiles of one block, in workgroup memory behind the tile's own: its leaves are the totals
// of the tiles before this one.
fn tiles_of_block() -> Tree {
    return Tree(2u * LEAVES, TILES_PER_BLOCK);
}

/// Levels of that tree above its leaves.
fn levels_in_block() -> u32 {
    return firstTrailingBit(TILES_PER_BLOCK);
}
