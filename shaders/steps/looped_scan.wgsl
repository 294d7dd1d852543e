// What scans do to each of a lane's quads, whichever way they are lifted.

fn store_whole(first: u32, stride: u32, tile: Quads) {
    var quads = tile;
    for (var q = 0u; q < steps(); q = q + 1u) {
        write_quad(first + q * stride, quads.q[q]);
    }
}

fn store_ragged(first: u32, stride: u32, tile: Quads, count: u32) {
    var quads = tile;
    for (var q = 0u; q < steps(); q = q + 1u) {
        write_ragged(first + q * stride, quads.q[q], count);
    }
}

fn scan_each(tile: Quads) -> Quads {
    var quads = tile;
    for (var q = 0u; q < steps(); q = q + 1u) {
        quads.q[q] = scan_quad(quads.q[q]);
    }
    return quads;
}

fn last_of_each(tile: Quads) -> Each {
    var quads = tile;
    var each: Each;
    for (var q = 0u; q < steps(); q = q + 1u) {
        each.q[q] = quads.q[q].w;
    }
    return each;
}

/// What precedes each step, if `entering` precedes the first.
fn step_back(entering: T, each: Each) -> Each {
    var ends = each;
    var back: Each;
    var before = entering;
    for (var q = 0u; q < steps(); q = q + 1u) {
        back.q[q] = before;
        before = ends.q[q];
    }
    return back;
}
