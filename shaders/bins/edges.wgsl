// Bins between any edges: the last edge that is not above the sample, by binary search.
fn counters_of_channel() -> u32 {
    return params.bins;
}

fn counter_of(bits: u32) -> u32 {
    let key = key_of(bits);
    if key < params.first_key || key > params.last_key {
        return NONE;
    }
    // edges[low] <= key < edges[high], where edges[reachable] counts as above all keys.
    var low = 0u;
    var high = params.reachable;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if edges[params.edges_base + middle] <= key {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

fn bin_of_counter(counter: u32) -> u32 {
    return counter;
}
