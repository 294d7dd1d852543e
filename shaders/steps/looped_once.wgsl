// What is done to each of them where they are lifted once.

fn last_of(each: Each) -> T {
    return each.q[QUADS - 1u];
}

/// Every quad with its whole past combined in. `within` masks its place in its run or row, whichever is shorter.
fn finish_each(tile: Quads, before: Each, outer: Left, first: u32, stride: u32) -> Quads {
    var quads = tile;
    var left = before;
    let within = min(ROW / 4u, QUADS * stride) - 1u;
    for (var q = 0u; q < steps(); q = q + 1u) {
        let inside = ((first + q * stride) & within) != 0u;
        quads.q[q] = finish_quad(quads.q[q], inside, left.q[q], outer);
    }
    return quads;
}
