// Tiles come in the order of tickets, publish what they know, and are counted then.
fn tile_of_ticket(i: u32) -> u32 {
    return i;
}

fn publishes(tile: u32) -> bool {
    return true;
}

fn counts_early(tile: u32) -> bool {
    return false;
}
