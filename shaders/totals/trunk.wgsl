// A tree over a tile of which only the leaves are kept, and the nodes of 16 leaves and more, where rows are as long:
// the more workgroup memory a tile takes, the fewer run at once. Smaller nodes are combined when they are asked for;
// rows share no leaf, so that is done once.
const TRUNK_LEVEL = 4u;
const TRUNK = Tree(LEAVES, LEAVES >> TRUNK_LEVEL);

var<workgroup> longest: atomic<u32>;
var<workgroup> longest_of_all: u32;

/// Of a level below the trunk.
fn total_of_branch(level: u32, i: u32) -> T {
    let at = i << level;
    var total = nodes[at];
    if level == 0u {
        return total;
    }
    total = combine(total, nodes[at + 1u]);
    if level == 1u {
        return total;
    }
    total = combine(total, combine(nodes[at + 2u], nodes[at + 3u]));
    if level == 2u {
        return total;
    }
    let others = combine(combine(nodes[at + 4u], nodes[at + 5u]), combine(nodes[at + 6u], nodes[at + 7u]));
    return combine(total, others);
}

fn total_of_node(tree: Tree, level: u32, i: u32) -> T {
    if level < TRUNK_LEVEL {
        return total_of_branch(level, i);
    }
    return nodes[node(TRUNK, level - TRUNK_LEVEL, i)];
}

/// Grows the tree as far as rows reach of which none is longer than any lane's `length`. The whole workgroup calls it,
/// after `longest` was set to zero and the leaves were written.
fn grow_trunk(length: u32, lane: u32) {
    atomicMax(&longest, length);
    workgroupBarrier();
    if lane == 0u {
        longest_of_all = atomicLoad(&longest);
    }
    let bound = workgroupUniformLoad(&longest_of_all) >> TRUNK_LEVEL;
    if bound == 0u {
        return;
    }
    for (var i = lane; i < TRUNK.leaves; i = i + LANES) {
        var total = total_of_branch(3u, 2u * i);
        total = combine(total, total_of_branch(3u, 2u * i + 1u));
        nodes[node(TRUNK, 0u, i)] = total;
    }
    workgroupBarrier();
    var level = 0u;
    for (var parents = TRUNK.leaves / 2u; parents > 0u && (2u << level) <= bound; parents = parents / 2u) {
        for (var i = lane; i < parents; i = i + LANES) {
            let left = nodes[node(TRUNK, level, 2u * i)];
            let right = nodes[node(TRUNK, level, 2u * i + 1u)];
            nodes[node(TRUNK, level + 1u, i)] = combine(left, right);
        }
        level = level + 1u;
        workgroupBarrier();
    }
}
