// The elements that are not kept, behind those that are, whose number is known.
@group(0) @binding(8) var<storage, read> counts: array<u32>;

fn enter(value: In, i: u32) -> T {
    return select(1u, 0u, keeps(value, i));
}

fn start_of_kept() -> u32 {
    return counts[params.count_base];
}

fn tell_count(i: u32, count: u32) {}

fn place(value: T, element: In, i: u32) -> u32 {
    return select(start_of_kept() + value - 1u, NOWHERE, keeps(element, i));
}
