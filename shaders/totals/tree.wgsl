// Rows of leaves in a tree, in the canonical order: as few totals as the levels of the tree, however long the row.
// Only nodes that lie in the row whole are looked at.

/// The total of the leaves from `first` on, up to the end of its node of `level`.
fn total_from(tree: Tree, level: u32, first: u32) -> T {
    var total = nodes[node(tree, 0u, first)];
    for (var below = 0u; below < level; below = below + 1u) {
        if !has_left(first, below) {
            total = combine(total, nodes[node(tree, below, (first >> below) + 1u)]);
        }
    }
    return total;
}

/// The total of the leaves from `first` to `last`, where `value` stands for the last one: with its left siblings
/// combined in, the smallest first, up to the one that the row begins in.
fn total_between(tree: Tree, first: u32, last: u32, value: T) -> T {
    var total = value;
    for (var level = 0u; (first >> level) < (last >> level); level = level + 1u) {
        if has_left(last, level) {
            let left = (last >> level) - 1u;
            if first <= left << level {
                total = combine(left_of(tree, last, level), total);
            } else {
                total = combine(total_from(tree, level, first), total);
            }
        }
    }
    return total;
}
