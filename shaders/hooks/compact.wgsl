// Elements that are kept are counted; each goes to the place before its count, and the last count is the
// number of all.
@group(0) @binding(8) var<storage, read_write> counts: array<u32>;

fn enter(value: In, i: u32) -> T {
    return select(0u, 1u, keeps(value, i));
}

/// Where those that are kept begin.
fn start_of_kept() -> u32 {
    return 0u;
}

/// Tells how many are kept, if element `i` is the last.
fn tell_count(i: u32, count: u32) {
    if params.first_element + i + 1u == params.len {
        counts[params.count_base] = count;
    }
}

fn place(value: T, element: In, i: u32) -> u32 {
    tell_count(i, value);
    return select(NOWHERE, value - 1u, keeps(element, i));
}
