// Each quad of a lane's run has a value of its own.

/// The tile's total.
fn reduce_tile(tile: Quads, lane: Lane) -> T {
    let tree = Tree(0u, LEAVES);
    nodes[node(tree, 0u, lane.index)] = reduce_steps(total_of_each(tile));
    grow(tree, lane.index);
    return root(tree);
}
