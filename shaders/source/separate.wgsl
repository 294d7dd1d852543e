// Input and output are different buffers.
fn cell(i: u32) -> InCell {
    return src[i];
}
