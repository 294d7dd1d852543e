// Input and output are different buffers.
fn cell(i: u32) -> Cell {
    return src[i];
}
