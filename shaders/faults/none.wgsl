// Tiles come in the order of tickets, and publish what they know.
fn tile_of_ticket(i: u32) -> u32 {
    return i;
}

fn publishes(tile: u32) -> bool {
    return true;
}
