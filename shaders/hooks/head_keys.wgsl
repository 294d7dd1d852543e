// Segments begin where a key differs from the one before it, in any bit.
@group(0) @binding(7) var<storage, read> keys: array<u32>;

fn head(i: u32) -> bool {
    let element = params.first_element + i;
    if element == 0u {
        return true;
    }
    let at = params.extra_base + element * KEY_WORDS;
    var differs = false;
    for (var word = at; word < at + KEY_WORDS; word = word + 1u) {
        differs = differs || keys[word] != keys[word - KEY_WORDS];
    }
    return differs;
}
