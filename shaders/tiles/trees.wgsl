// How a tile finds its left siblings in the trees in scratch memory.
var<private> tree_of_block: u32;

/// Levels of a tree above its leaves: a parameter, so that no compiler writes out the loops over them, which
/// takes minutes for the widest elements.
fn levels_in_block() -> u32 {
    return params.block_levels;
}

/// The total of the left sibling of the subtree of 2^level tiles that holds tile `i`.
fn left_in_block(i: u32, level: u32) -> T {
    return totals[node(Tree(tree_of_block, TILES_PER_BLOCK), level, (i >> level) ^ 1u)];
}

fn meet_block(row: u32, tile: u32, place: u32, lane: u32) {
    tree_of_block = tree_index(row, tile / TILES_PER_BLOCK);
}
