// A tree of which every level is there.
fn total_of_node(tree: Tree, level: u32, i: u32) -> T {
    return nodes[node(tree, level, i)];
}
