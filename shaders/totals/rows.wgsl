// Rows by where they end, in `ends`. In front of the first row's end is where that row begins.
struct Row {
    number: u32,
    /// Its first place. Of what follows the last row, that row's end.
    begin: u32,
    /// The place behind its last. No row goes on where there is nothing.
    end: u32,
}

fn find_row(number: u32) -> Row {
    let at = params.ends_base + number;
    return Row(number, ends[at - 1u], min(ends[at], params.len));
}
