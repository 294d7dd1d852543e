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

fn input_in_row(i: u32, count: u32) -> Inputs {
    return input_ragged(i, count);
}

/// Which quad of its row quad `i` is.
fn quad_in_row(i: u32) -> u32 {
    return i;
}

fn write_ragged(i: u32, quad: Written, count: u32) {
    write_ragged_quad(i, quad, count);
}
