// Rows by where they end, in `ends`. In front of the first row's end is where that row begins.

/// The first place of `row`. Behind the last row it is that row's end.
fn begin_of(row: u32) -> u32 {
    return ends[params.ends_base + row - 1u];
}

/// The place behind its last. No row goes on where there is nothing.
fn end_of(row: u32) -> u32 {
    return min(ends[params.ends_base + row], params.len);
}
