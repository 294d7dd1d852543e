// Input and output lie in one buffer, which can be bound only once: as `dst`.
fn cell(i: u32) -> InCell {
    return dst[i];
}
