// A lane's quads in an array that loops go over: a fraction of the text that is written out for GPUs, and of the
// time that a software driver takes to compile it.
struct Quads {
    q: array<Quad, QUADS>,
}

/// One value for each quad.
struct Each {
    q: array<T, QUADS>,
}

/// QUADS; but no compiler knows, and writes the loops out.
fn steps() -> u32 {
    return QUADS + params.zero;
}

fn load_whole(first: u32, stride: u32) -> Quads {
    var quads: Quads;
    for (var q = 0u; q < steps(); q = q + 1u) {
        quads.q[q] = read_quad(first + q * stride);
    }
    return quads;
}

fn load_ragged(first: u32, stride: u32, count: u32) -> Quads {
    var quads: Quads;
    for (var q = 0u; q < steps(); q = q + 1u) {
        quads.q[q] = read_ragged(first + q * stride, count);
    }
    return quads;
}

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

fn total_of_each(tile: Quads) -> Each {
    var quads = tile;
    var each: Each;
    for (var q = 0u; q < steps(); q = q + 1u) {
        each.q[q] = total_of_quad(quads.q[q]);
    }
    return each;
}

fn last_of_each(tile: Quads) -> Each {
    var quads = tile;
    var each: Each;
    for (var q = 0u; q < steps(); q = q + 1u) {
        each.q[q] = quads.q[q].w;
    }
    return each;
}

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

/// The tree over the steps' totals.
fn reduce_steps(each: Each) -> T {
    var totals = each;
    for (var half = 1u; half < steps(); half = half << 1u) {
        for (var q = 0u; q < steps(); q = q + 2u * half) {
            totals.q[q] = combine(totals.q[q], totals.q[q + half]);
        }
    }
    return totals.q[0];
}
