// Rows of leaves in a tree, in the canonical order: as few totals as the levels of the tree, however long the row.
// Only nodes that lie in the row whole are looked at, which the bits of their places name.

/// The total of the leaves from `first` on, up to the end of its node of `level`.
fn total_from(tree: Tree, level: u32, first: u32) -> T {
    var total = total_of_node(tree, 0u, first);
    let end = ((first >> level) + 1u) << level;
    // The node that begins at `at` is a right child on the way up from `first`.
    var at = first + 1u;
    while at < end {
        let below = firstTrailingBit(at);
        total = combine(total, total_of_node(tree, below, at >> below));
        at = at + (1u << below);
    }
    return total;
}

/// The total of the leaves from `first` to `last`, where `value` stands for the last one: with its left siblings
/// combined in, the smallest first, up to the one that the row begins in.
fn total_between(tree: Tree, first: u32, last: u32, value: T) -> T {
    var total = value;
    // The sibling that ends before `at`, which it is a right child beside.
    var at = last;
    while at > first {
        let level = firstTrailingBit(at);
        let left = at - (1u << level);
        if left < first {
            return combine(total_from(tree, level, first), total);
        }
        total = combine(total_of_node(tree, level, left >> level), total);
        at = left;
    }
    return total;
}
