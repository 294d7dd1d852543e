// Rows of leaves in a tree, in the canonical order: as few totals as the levels of the tree, however long the row.
// Only nodes that lie in the row whole are looked at.

/// The total of a row that begins in the leaf `first` and ends in a later one, `last`; `head` and `tail` are what is
/// there of it in these two. What follows in the row up to the end of the node of `first` goes behind the head, whole
/// left siblings of the node of `last` go before the tail, and where these nodes are neighbours nothing is between them.
fn total_between(tree: Tree, first: u32, head: T, last: u32, tail: T) -> T {
    var before = head;
    var total = tail;
    var left = first;
    var right = last;
    var row = tree.origin;
    var width = tree.leaves;
    while right - left > 1u {
        if (left & 1u) == 0u {
            before = combine(before, nodes[row + left + 1u]);
        }
        if (right & 1u) == 1u {
            total = combine(nodes[row + right - 1u], total);
        }
        row = row + width;
        width = width >> 1u;
        left = left >> 1u;
        right = right >> 1u;
    }
    return combine(before, total);
}

/// Fills in the first `levels` above the leaves; each has a lane for every node. The whole workgroup calls it, after
/// the leaves were written; on return every lane sees these nodes, and all else that was written.
fn grow_levels(tree: Tree, levels: u32, lane: u32) {
    var below = tree.origin;
    var parents = tree.leaves >> 1u;
    for (var level = 0u; level < levels; level = level + 1u) {
        workgroupBarrier();
        let row = below + 2u * parents;
        if lane < parents {
            nodes[row + lane] = combine(nodes[below + 2u * lane], nodes[below + 2u * lane + 1u]);
        }
        below = row;
        parents = parents >> 1u;
    }
    workgroupBarrier();
}
