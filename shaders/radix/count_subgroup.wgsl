// Counting digits, with subgroups.
/// Adds a whole tile's keys to `bins`. Where all lanes of a subgroup agree on a digit, one adds for all: the
/// others would queue for the same word.
fn count_key(key: Key, lane: Lane) {
    let code = code_of(key);
    let differing = subgroupOr(code ^ subgroupBroadcastFirst(code));
    count_together(code, differing, lane);
}

fn count_bin(digit: u32, value: u32, agreed: bool, lane: Lane) {
    if !agreed {
        atomicAdd(&bins[digit * BINS + value], 1u);
    } else if lane.rank == 0u {
        atomicAdd(&bins[digit * BINS + value], lane.width);
    }
}
