// A tile by subgroups of any power-of-two width: each owns a contiguous run of quads. Totals travel between lanes by
// shuffles, between subgroups through the tree.
struct Lane {
    @builtin(local_invocation_index) index: u32,
    @builtin(subgroup_invocation_id) rank: u32,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_id) subgroup: u32,
}

/// No subgroup is narrower than four lanes (the host checks).
const LEAVES = LANES / 4u;

fn subgroups(width: u32) -> Tree {
    return Tree(0u, LANES / width);
}
