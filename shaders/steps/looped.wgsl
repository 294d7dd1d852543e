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

fn total_of_each(tile: Quads) -> Each {
    var quads = tile;
    var each: Each;
    for (var q = 0u; q < steps(); q = q + 1u) {
        each.q[q] = total_of_quad(quads.q[q]);
    }
    return each;
}

fn combine_each(left_values: Each, right_values: Each) -> Each {
    var left = left_values;
    var each = right_values;
    for (var q = 0u; q < steps(); q = q + 1u) {
        each.q[q] = combine(left.q[q], each.q[q]);
    }
    return each;
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
