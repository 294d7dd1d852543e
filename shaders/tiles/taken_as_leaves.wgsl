// What a tile needs of those before it in its block: the leaves of their tree, for the canonical order.
fn take_totals(half: u32, block: u32, count: u32, lane: Lane) {
    for (var i = lane.index; i < count; i = i + LANES) {
        nodes[node(tiles_of_block(), 0u, i)] = total_of(half, block * TILES_PER_BLOCK + i);
    }
}

/// All lanes call it once all leaves are there.
fn combine_taken(count: u32, lane: Lane) {
    if count > 0u {
        grow_eights(lane.index);
    }
}

/// The total of a block of which all tiles but the last have been taken.
fn total_of_block(last: T) -> T {
    var total = last;
    for (var level = 0u; level < levels_in_block(); level = level + 1u) {
        total = combine(left_in_block(TILES_PER_BLOCK - 1u, level), total);
    }
    return total;
}
