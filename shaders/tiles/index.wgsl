/// Where the total of a tile lies in `totals`.
fn total_index(row: u32, tile: u32) -> u32 {
    return row * params.tiles_per_row + tile;
}
