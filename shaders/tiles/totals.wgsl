// Each workgroup grows the tree over the tiles of its block for itself.

/// The total of the left sibling of the subtree of 2^level tiles that holds tile `i`.
fn left_in_block(i: u32, level: u32) -> T {
    return left_of(tiles_of_block(), i, level);
}

/// Takes the totals of the tiles of a block that precede one at `place` into the tree.
fn meet_block(row: u32, tile: u32, place: u32, lane: u32) {
    if place > 0u {
        let tree = tiles_of_block();
        for (var i = lane; i < TILES_PER_BLOCK; i = i + LANES) {
            var total = T();
            if i < place {
                total = totals[total_index(row, tile - place + i)];
            }
            nodes[node(tree, 0u, i)] = total;
        }
        grow(tree, lane);
    }
}
