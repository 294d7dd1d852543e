// Segments by where they end: `ends` does not decrease, and segment s holds the places from the end before it up
// to its own.

/// The segment that holds `place`, if it is one of `first..=last`: the number of ends that are at most `place`.
fn segment_of(place: u32, first: u32, last: u32) -> u32 {
    var low = first;
    var high = last;
    while low < high {
        let middle = low + (high - low) / 2u;
        if ends[params.ends_base + middle] <= place {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}
