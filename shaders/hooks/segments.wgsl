// Values with the last head up to them, or zero: what comes before a head does not reach what comes behind it.
fn identity() -> T {
    return T(0u, identity_of_values());
}

fn combine(left: T, right: T) -> T {
    var value = right.value;
    var last = right.head;
    if last == 0u {
        value = combine_values(left.value, right.value);
        last = left.head;
    }
    return T(last, value);
}
