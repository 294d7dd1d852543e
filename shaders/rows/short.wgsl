// Many rows in one tile: each takes `ROW` elements of it, a power of two, of which the first `count` are
// there. The tree's levels above a row are left out.
var<private> src_row: u32;
var<private> dst_row: u32;

struct Spot {
    bound: u32,
    tile: u32,
    row: u32,
}

fn find_spot(slot: u32) -> Spot {
    return Spot(slot, 0u, 0u);
}

fn is_whole(bound: u32) -> bool {
    return false;
}

/// Finds the row of quad `i` of the dispatch, and whether there is one.
fn find_row(i: u32) -> bool {
    let row = params.first_row + i / (ROW / 4u);
    let outer = row / params.row_inner;
    let inner = row % params.row_inner;
    src_row = outer * params.src_outer + inner * params.src_inner;
    dst_row = outer * params.dst_outer + inner * params.dst_inner;
    return row < params.rows;
}

fn input_in_row(i: u32, count: u32) -> Inputs {
    if find_row(i) {
        return input_ragged(quad_in_row(i), count);
    }
    return Inputs();
}

/// Which quad of its row quad `i` is.
fn quad_in_row(i: u32) -> u32 {
    return i % (ROW / 4u);
}

fn write_ragged(i: u32, quad: Written, count: u32) {
    if find_row(i) {
        write_ragged_quad(quad_in_row(i), quad, count);
    }
}
