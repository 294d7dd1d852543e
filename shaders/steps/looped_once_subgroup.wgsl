/// Totals of each quad and all before it in the steps of one subgroup, or in its row.
fn scan_ends(each: Each, last_lane: u32) -> Each {
    var ends = each;
    for (var q = 1u; q < steps(); q = q + 1u) {
        let left = shuffle(ends.q[q - 1u], last_lane);
        if (4u * q * (last_lane + 1u)) % ROW != 0u {
            ends.q[q] = combine(left, ends.q[q]);
        }
    }
    return ends;
}
