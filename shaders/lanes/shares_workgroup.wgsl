// Without subgroups a share is one tile.

/// The total of share `share`.
fn reduce_share(share: u32, lane: Lane) -> T {
    return reduce_tile(load_whole(share * (TILE / 4u) + first_quad(lane), stride(lane)), lane);
}
