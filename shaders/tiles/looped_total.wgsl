/// The total of a block from those of its tiles.
fn block_total(row: u32, block: u32) -> T {
    let first = total_index(row, block * TILES_PER_BLOCK);
    var counter: array<T, 9>;
    var total = T();
    for (var t = 0u; t < TILES_PER_BLOCK + params.zero; t = t + 1u) {
        total = count_in(&counter, t, totals[first + t]);
    }
    return total;
}
