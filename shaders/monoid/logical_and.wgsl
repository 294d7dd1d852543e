// 1 if both are true, which is anything but 0.
fn combine(left: T, right: T) -> T {
    return select(0u, 1u, left != 0u && right != 0u);
}
