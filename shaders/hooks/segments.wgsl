// Values with the number of heads up to them: what comes before a head does not reach what comes behind it.
fn identity() -> T {
    return T(0u, identity_of_values());
}

fn combine(left: T, right: T) -> T {
    var value = right.value;
    if right.heads == 0u {
        value = combine_values(left.value, right.value);
    }
    return T(left.heads + right.heads, value);
}
