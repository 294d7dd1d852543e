// The last result of each segment goes to the segment's own place, which a binary search in the offsets finds.
@group(0) @binding(9) var<storage, read> offsets: array<u32>;

fn place(value: T, element: In, i: u32) -> u32 {
    let at = params.first_element + i;
    if at + 1u < params.len && !head(i + 1u) {
        return NOWHERE;
    }
    // How many offsets lie at or before the element.
    var low = 0u;
    var high = params.results + 1u;
    while low < high {
        let middle = (low + high) / 2u;
        if offsets[params.extra_base + middle] <= at {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    // None: one less is nowhere. All: it lies behind the last segment.
    return select(low - 1u, NOWHERE, low > params.results);
}

fn send(value: T, element: In, i: u32) -> Out {
    return map_out(value.value);
}
