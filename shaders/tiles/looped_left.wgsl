/// The total of the left sibling of the subtree of 2^level tiles that holds tile `i`, from a binary counter: entry k
/// is the total of 2^k tiles.
fn left_in_block(i: u32, level: u32) -> T {
    let first = ((i >> level) ^ 1u) << level;
    var counter: array<T, 9>;
    var total = T();
    for (var t = 0u; t < (1u << level); t = t + 1u) {
        total = nodes[node(tiles_of_block(), 0u, first + t)];
        var k = 0u;
        for (var carry = t; (carry & 1u) == 1u; carry = carry >> 1u) {
            total = combine(counter[k], total);
            k = k + 1u;
        }
        counter[k] = total;
    }
    return total;
}
