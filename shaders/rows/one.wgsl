// One row: the tiles of a dispatch are neighbours in one scan.
const src_row = 0u;
const dst_row = 0u;

/// Where a tile is: in what is bound, in its row, and which row that is.
struct Spot {
    bound: u32,
    tile: u32,
    row: u32,
}

fn find_spot(slot: u32) -> Spot {
    return Spot(slot, params.first_tile + slot, 0u);
}

fn is_whole(bound: u32) -> bool {
    return params.count - bound * TILE >= TILE;
}

fn read_ragged(i: u32, count: u32) -> Quad {
    return read_ragged_quad(i, count);
}

fn write_ragged(i: u32, quad: Quad, count: u32) {
    write_ragged_quad(i, quad, count);
}
