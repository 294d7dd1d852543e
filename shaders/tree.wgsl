// Perfect binary trees of totals in workgroup memory, level above level: `leaves` leaves, then half as
// many parents, up to the root. A kernel may keep two of them side by side in `nodes`.
struct Tree {
    origin: u32,
    /// A power of two.
    leaves: u32,
}

var<workgroup> nodes: array<T, NODES>;

/// Where node `i` of `level` lies in `nodes`; level 0 holds the leaves.
fn node(tree: Tree, level: u32, i: u32) -> u32 {
    return tree.origin + 2u * tree.leaves - ((2u * tree.leaves) >> level) + i;
}

/// Fills in every level above the leaves. The whole workgroup calls it, after the leaves were written;
/// on return every lane sees every node.
fn grow(tree: Tree, lane: u32) {
    var level = 0u;
    for (var parents = tree.leaves / 2u; parents > 0u; parents = parents / 2u) {
        workgroupBarrier();
        for (var i = lane; i < parents; i = i + LANES) {
            let left = nodes[node(tree, level, 2u * i)];
            let right = nodes[node(tree, level, 2u * i + 1u)];
            nodes[node(tree, level + 1u, i)] = combine(left, right);
        }
        level = level + 1u;
    }
    workgroupBarrier();
}

/// Whether the subtree of 2^level leaves that holds `leaf` has a left sibling.
fn has_left(leaf: u32, level: u32) -> bool {
    return ((leaf >> level) & 1u) == 1u;
}

/// The total of that left sibling.
fn left_of(tree: Tree, leaf: u32, level: u32) -> T {
    return nodes[node(tree, level, (leaf >> level) ^ 1u)];
}

fn root_of(tree: Tree) -> u32 {
    return tree.origin + 2u * tree.leaves - 2u;
}

fn root(tree: Tree) -> T {
    return nodes[root_of(tree)];
}
