/// The total of the elements `first` to `last` of a quad, in the canonical order.
fn total_of_part(quad: Quad, first: u32, last: u32) -> T {
    var left = quad.y;
    if first == 0u {
        left = combine(quad.x, quad.y);
    }
    var total = quad.z;
    if last == 3u {
        total = quad.w;
        if first != 3u {
            total = combine(quad.z, quad.w);
        }
    }
    if first <= 1u {
        total = combine(left, total);
    }
    if last == 1u {
        total = left;
    }
    if last == 0u {
        total = quad.x;
    }
    return total;
}
