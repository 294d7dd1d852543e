// The levels of the canonical tree between tiles of one block.

/// The scan inside the block of the last element before tile `place` > 0.
fn before_in_block(place: u32) -> T {
    // The nearest left sibling ends with that element, and those before it are the element's own.
    let nearest_level = firstTrailingBit(place);
    var prefix = left_in_block(place, nearest_level);
    for (var level = nearest_level + 1u; level < levels_in_block(); level = level + 1u) {
        if has_left(place, level) {
            prefix = combine(left_in_block(place, level), prefix);
        }
    }
    return prefix;
}
