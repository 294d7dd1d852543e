// A tree over a tile without the level above its leaves, which two of them say as fast, and without levels that nobody
// looks at: memory and barriers that few workgroups could run beside.
const QUADS = Tree(LEAVES, LEAVES / 4u);

var<workgroup> longest: atomic<u32>;
var<workgroup> longest_of_all: u32;

fn total_of_node(tree: Tree, level: u32, i: u32) -> T {
    if level == 0u {
        return nodes[i];
    }
    if level == 1u {
        return combine(nodes[2u * i], nodes[2u * i + 1u]);
    }
    return nodes[node(QUADS, level - 2u, i)];
}

/// Grows the tree as far as rows reach of which none is longer than any lane's `length`. The whole workgroup calls it,
/// after the leaves were written, and `longest` set to zero before.
fn grow_quads(length: u32, lane: u32) {
    atomicMax(&longest, length);
    workgroupBarrier();
    for (var i = lane; i < QUADS.leaves; i = i + LANES) {
        let total = combine(total_of_node(QUADS, 1u, 2u * i), total_of_node(QUADS, 1u, 2u * i + 1u));
        nodes[node(QUADS, 0u, i)] = total;
    }
    if lane == 0u {
        longest_of_all = atomicLoad(&longest);
    }
    let bound = workgroupUniformLoad(&longest_of_all);
    var level = 0u;
    for (var parents = QUADS.leaves / 2u; parents > 0u && (8u << level) <= bound; parents = parents / 2u) {
        for (var i = lane; i < parents; i = i + LANES) {
            let left = nodes[node(QUADS, level, 2u * i)];
            let right = nodes[node(QUADS, level, 2u * i + 1u)];
            nodes[node(QUADS, level + 1u, i)] = combine(left, right);
        }
        level = level + 1u;
        workgroupBarrier();
    }
}
