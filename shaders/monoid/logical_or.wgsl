// 1 if either is true, which is anything but 0.
fn combine(left: T, right: T) -> T {
    return select(0u, 1u, (left | right) != 0u);
}
