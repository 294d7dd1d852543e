// A tile without subgroup operations: each lane owns a run of quads, and the lanes' totals are the leaves of a tree
// in workgroup memory. Index bits of an element, lowest first: place in the quad, step, lane.
struct Lane {
    @builtin(local_invocation_index) index: u32,
}

const LEAVES = LANES;

fn first_quad(lane: Lane) -> u32 {
    return lane.index * QUADS;
}

fn stride(lane: Lane) -> u32 {
    return 1u;
}
