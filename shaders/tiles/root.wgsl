/// The total of a whole block: the root of its tree.
fn block_total(row: u32, block: u32) -> T {
    return totals[tree_index(row, block) + 2u * TILES_PER_BLOCK - 2u];
}
