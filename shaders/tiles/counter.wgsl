/// Counts the `t`-th total into a binary counter, entry k of which is the total of 2^k tiles; what comes out is the
/// largest subtree that ends with it.
fn count_in(counter: ptr<function, array<T, 9>>, t: u32, tile: T) -> T {
    var total = tile;
    var k = 0u;
    for (var carry = t; (carry & 1u) == 1u; carry = carry >> 1u) {
        total = combine((*counter)[k], total);
        k = k + 1u;
    }
    (*counter)[k] = total;
    return total;
}
