// Bins of one width: the bin is computed, and compared with the edges where rounding could have moved it.
// The comparison alone decides, so every device finds the same bin, however it rounds.
fn counters_of_channel() -> u32 {
    return params.bins;
}

fn counter_of(bits: u32) -> u32 {
    let key = key_of(bits);
    if key < params.first_key || key > params.last_key {
        return NONE;
    }
    let position = distance(bits) * bitcast<f32>(params.scale) + bitcast<f32>(params.shift);
    var bin = min(u32(position), params.reachable - 1u);
    // The margin is some times what the three operations can be off, and at most one bin.
    if abs(position - round(position)) <= bitcast<f32>(params.margin) {
        if key < edges[params.edges_base + bin] {
            bin = bin - 1u;
        } else if bin + 1u < params.reachable {
            if key >= edges[params.edges_base + bin + 1u] {
                bin = bin + 1u;
            }
        }
    }
    return bin;
}

fn bin_of_counter(counter: u32) -> u32 {
    return counter;
}
