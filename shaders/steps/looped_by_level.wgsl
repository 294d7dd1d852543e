// What is done to each of them where they are lifted level by level.

fn last_of_all(quads: Quads) -> T {
    return quads.q[QUADS - 1u].w;
}

fn lift_each(before: Each, tile: Quads) -> Quads {
    var left = before;
    var quads = tile;
    for (var q = 0u; q < steps(); q = q + 1u) {
        quads.q[q] = lift(left.q[q], quads.q[q]);
    }
    return quads;
}

fn lift_all(left: T, tile: Quads) -> Quads {
    var quads = tile;
    for (var q = 0u; q < steps(); q = q + 1u) {
        quads.q[q] = lift(left, quads.q[q]);
    }
    return quads;
}

/// Every quad moved on by one element; `before` enters each at its first.
fn shift_each(tile: Quads, before: Each) -> Quads {
    var quads = tile;
    var entering = before;
    for (var q = 0u; q < steps(); q = q + 1u) {
        let quad = quads.q[q];
        quads.q[q] = Quad(entering.q[q], quad.x, quad.y, quad.z);
    }
    return quads;
}

/// The first element of every row as an exclusive scan starts it, where a tile holds several.
fn start_each(tile: Quads, first: u32, step: u32) -> Quads {
    var quads = tile;
    for (var q = 0u; q < steps(); q = q + 1u) {
        if (first + q * step) % (ROW / 4u) == 0u {
            quads.q[q].x = start();
        }
    }
    return quads;
}
