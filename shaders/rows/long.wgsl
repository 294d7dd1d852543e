// Many rows, each of one tile or more that no other row shares.
var<private> src_row: u32;
var<private> dst_row: u32;

struct Spot {
    bound: u32,
    tile: u32,
    row: u32,
}

fn find_spot(slot: u32) -> Spot {
    let row = params.first_row + slot / params.tiles_per_row;
    let tile = slot % params.tiles_per_row;
    let outer = row / params.row_inner;
    let inner = row % params.row_inner;
    src_row = outer * params.src_outer + inner * params.src_inner;
    dst_row = outer * params.dst_outer + inner * params.dst_inner;
    return Spot(tile, tile, row);
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
