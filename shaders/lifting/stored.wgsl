// Where each element has a result at its own place.

/// Stores the elements of a tile that are there.
fn store_tile(first: u32, whole: bool, quads: Quads, lane: Lane) {
    if whole {
        store_whole(first, stride(lane), quads);
    } else {
        store_ragged(first, stride(lane), quads, params.count);
    }
}
