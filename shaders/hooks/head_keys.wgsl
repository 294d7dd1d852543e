// Segments begin where a key differs from the one before it, in any bit. `differ` compares the words of two.
@group(0) @binding(7) var<storage, read> keys: array<u32>;

/// No branches: all keys of a lane are on their way before any is waited for.
fn head(i: u32) -> bool {
    let element = params.first_element + i;
    let at = params.extra_base + element * KEY_WORDS;
    let before = at - select(KEY_WORDS, 0u, element == 0u);
    return (element == 0u) | differ(at, before);
}
