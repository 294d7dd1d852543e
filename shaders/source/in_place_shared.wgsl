// The same where lanes share words of it: each looks at its own bits only.
fn cell(i: u32) -> InCell {
    return atomicLoad(&dst[i]);
}
