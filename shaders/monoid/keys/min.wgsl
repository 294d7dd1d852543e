// The smallest key. The largest of all is that of infinity, for NaNs have moved to the other end.
fn key_of(value: Value) -> T {
    return key_for_smallest(value);
}

fn value_of(key: T) -> Value {
    return value_of_order_key(key - NANS_AT_ONE_END);
}

fn identity() -> T {
    return 0xffffffffu;
}

fn combine(left: T, right: T) -> T {
    return min(left, right);
}
