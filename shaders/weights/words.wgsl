// Every sample counts as much as its weight says.
fn weight_of(i: u32) -> u32 {
    return weights[params.weights_base + i];
}
