/// The total of the left sibling of the subtree of 2^level tiles that holds tile `i`.
fn left_in_block(i: u32, level: u32) -> T {
    let first = ((i >> level) ^ 1u) << level;
    var counter: array<T, 9>;
    var total = T();
    for (var t = 0u; t < (1u << level); t = t + 1u) {
        total = count_in(&counter, t, nodes[node(tiles_of_block(), 0u, first + t)]);
    }
    return total;
}

/// Totals of eight tiles are not kept.
fn grow_eights(lane: u32) {}
