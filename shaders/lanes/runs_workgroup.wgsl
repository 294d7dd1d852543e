// Of a lane's run there is one value.

/// The tile's total.
fn reduce_tile(tile: Quads, lane: Lane) -> T {
    let tree = Tree(0u, LEAVES);
    nodes[node(tree, 0u, lane.index)] = fold_run(tile);
    grow(tree, lane.index);
    return root(tree);
}
