/// The total of a block from those of its tiles, by a binary counter: entry k is the total of 2^k tiles.
fn block_total(row: u32, block: u32) -> T {
    let first = total_index(row, block * TILES_PER_BLOCK);
    var counter: array<T, 9>;
    var total = T();
    for (var t = 0u; t < TILES_PER_BLOCK + params.zero; t = t + 1u) {
        total = totals[first + t];
        var k = 0u;
        for (var carry = t; (carry & 1u) == 1u; carry = carry >> 1u) {
            total = combine(counter[k], total);
            k = k + 1u;
        }
        counter[k] = total;
    }
    return total;
}
