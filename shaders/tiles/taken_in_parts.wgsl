// What a tile needs of those before it in its block where any grouping gives the same bits: one total for each subgroup
// that has looked, by shuffles.
fn take_totals(half: u32, block: u32, count: u32, lane: Lane) {
    let place = lane.subgroup * lane.width + lane.rank;
    var total = T();
    if place < count {
        total = total_of(half, block * TILES_PER_BLOCK + place);
    }
    // After each round a lane whose rank is a multiple of 2·distance holds the total of as many, or of those there are.
    for (var distance = 1u; distance < subgroup_width(lane); distance = distance << 1u) {
        let right = shuffle(total, lane.rank ^ distance);
        if (lane.rank & distance) == 0u && place + distance < count {
            total = combine(total, right);
        }
    }
    if lane.rank == 0u && place < count {
        nodes[node(tiles_of_block(), 0u, lane.subgroup)] = total;
    }
}

/// The first lane combines what all of them have left.
fn combine_taken(count: u32, lane: Lane) {
    if lane.index == 0u && count > 0u {
        var total = before_in_block(count);
        for (var part = 1u; part * lane.width < count; part = part + 1u) {
            total = combine(total, nodes[node(tiles_of_block(), 0u, part)]);
        }
        nodes[node(tiles_of_block(), 0u, 0u)] = total;
    }
}

/// The total of the tiles before tile `place` > 0, once they are combined.
fn before_in_block(place: u32) -> T {
    return nodes[node(tiles_of_block(), 0u, 0u)];
}

/// The total of a block of which all tiles but the last have been taken.
fn total_of_block(last: T) -> T {
    return combine(before_in_block(TILES_PER_BLOCK - 1u), last);
}
