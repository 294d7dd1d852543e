// Every value of an 8-bit sample has a counter; `edges` says which bin it belongs to when all are counted.
const VALUES = 256u;

fn counters_of_channel() -> u32 {
    return VALUES;
}

fn counter_of(bits: u32) -> u32 {
    return key_of(bits);
}

/// The bin that a counter's samples belong to, or NONE.
fn bin_of_counter(counter: u32) -> u32 {
    return edges[params.edges_base + counter];
}
