// Values with the last head up to them, or zero: what comes before a head does not reach what comes behind it.
fn identity() -> T {
    return T(0u, identity_of_values());
}

fn combine(left: T, right: T) -> T {
    // No branch around the combination: a lane would wait for it in each.
    var value = combine_values(left.value, right.value);
    if right.head != 0u {
        value = right.value;
    }
    return T(select(right.head, left.head, right.head == 0u), value);
}
