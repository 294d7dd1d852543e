/// What precedes the lane's run in the tile, as far as it is of the same row.
fn before_run(lane: Lane) -> Left {
    let tree = Tree(0u, LEAVES);
    var before = Left(false, T());
    for (var level = 0u; (LEAVES >> level) > 1u && ((4u * QUADS) << level) < ROW; level = level + 1u) {
        if has_left(lane.index, level) {
            before = preceded(left_of(tree, lane.index, level), before);
        }
    }
    return before;
}
