/// What precedes something with the runs of the subgroups before it in front, as far as they are of the same row.
fn preceded_by_runs(right: Left, lane: Lane) -> Left {
    let tree = subgroups(lane.width);
    let run = 4u * QUADS * lane.width;
    var before = right;
    for (var level = 0u; (tree.leaves >> level) > 1u && (run << level) < ROW; level = level + 1u) {
        if has_left(lane.subgroup, level) {
            before = preceded(left_of(tree, lane.subgroup, level), before);
        }
    }
    return before;
}
