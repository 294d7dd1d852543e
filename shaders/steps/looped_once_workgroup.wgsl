/// Totals of each quad and all before it in the steps of one lane, or in its row.
fn scan_ends(each: Each) -> Each {
    var ends = each;
    for (var q = 1u; q < steps(); q = q + 1u) {
        if (4u * q) % ROW != 0u {
            ends.q[q] = combine(ends.q[q - 1u], ends.q[q]);
        }
    }
    return ends;
}
