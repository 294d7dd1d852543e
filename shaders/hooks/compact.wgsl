// Elements that are kept are counted; each goes to the place before its count, and the last count is the
// number of all.
@group(0) @binding(8) var<storage, read_write> counts: array<u32>;

fn enter(value: In, i: u32) -> T {
    return select(0u, 1u, keeps(value, i));
}

fn place(value: T, element: In, i: u32) -> u32 {
    if params.first_element + i + 1u == params.len {
        counts[params.count_base] = value;
    }
    return select(NOWHERE, value - 1u, keeps(element, i));
}
