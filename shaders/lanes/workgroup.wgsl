// A tile without subgroup operations: every step of every lane is a leaf of one tree in workgroup memory.
// Index bits of an element, lowest first: place in the quad, lane, step.
struct Lane {
    @builtin(local_invocation_index) index: u32,
}

const LEAVES = LANES * QUADS;

fn first_quad(lane: Lane) -> u32 {
    return lane.index;
}

fn stride(lane: Lane) -> u32 {
    return LANES;
}

/// Inclusive scan of the tile.
fn scan_tile(tile: Quads, lane: Lane) -> Quads {
    var quads = scan_each(tile);
    let tree = Tree(0u, LEAVES);
    plant_each(last_of_each(quads), lane.index);
    grow(tree, lane.index);
    for (var level = 0u; (LEAVES >> level) > 1u && (4u << level) < ROW; level = level + 1u) {
        quads = lift_leaves(tree, level, quads, lane.index);
    }
    return quads;
}

/// The total of the tile that `scan_tile` has just scanned.
fn tile_total(lane: Lane) -> T {
    return root(Tree(0u, LEAVES));
}

/// The tile's total.
fn reduce_tile(tile: Quads, lane: Lane) -> T {
    let tree = Tree(0u, LEAVES);
    plant_each(total_of_each(tile), lane.index);
    grow(tree, lane.index);
    return root(tree);
}

/// Moves an inclusive scan one element on; `before` enters at the tile's first element.
fn shift_tile(quads: Quads, before: T, lane: Lane) -> Quads {
    workgroupBarrier(); // every lane is done with the tree
    plant_each(last_of_each(quads), lane.index);
    workgroupBarrier();
    var entering = before;
    if lane.index > 0u {
        entering = nodes[lane.index - 1u];
    }
    return shift_each(quads, leaves_before(entering, lane.index));
}
