// Every sample counts once.
fn weight_of(i: u32) -> u32 {
    return 1u;
}
