// Lanes in a subgroup, where nobody asks for a proof that all lanes of a workgroup agree on it.
fn subgroup_width(lane: Lane) -> u32 {
    return lane.width;
}
