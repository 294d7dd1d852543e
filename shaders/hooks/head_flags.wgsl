// Segments begin where a flag is set.
@group(0) @binding(7) var<storage, read> flags: array<u32>;

fn head(i: u32) -> bool {
    return flags[params.extra_base + params.first_element + i] != 0u;
}
