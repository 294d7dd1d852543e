// How lanes find what precedes their quads, each of a run of its own.

/// The tile with its quads scanned, and the tree over its runs.
fn scan_tile(tile: Quads, lane: Lane) -> Scanned {
    let scanned = scan_reduced(tile, lane);
    let tree = Tree(0u, LEAVES);
    nodes[node(tree, 0u, lane.index)] = last_of(scanned.ends);
    grow(tree, lane.index);
    return scanned;
}

/// The same after `reduce_tile`, which has grown the tree.
fn scan_reduced(tile: Quads, lane: Lane) -> Scanned {
    let quads = scan_each(tile);
    return Scanned(quads, scan_ends(last_of_each(quads)));
}

/// What precedes each quad in its run: the end before it. Nothing precedes the first.
fn before_each(ends: Each, lane: Lane) -> Each {
    return step_back(T(), ends);
}

/// The total of the whole tile; all lanes ask for it.
fn total_of_tile(lane: Lane) -> T {
    return workgroupUniformLoad(&nodes[root_of(Tree(0u, LEAVES))]);
}
