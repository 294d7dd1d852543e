// What precedes something, where it is combined before anything is lifted by it.

/// What precedes something, if anything does.
struct Left {
    there: bool,
    value: T,
}

/// `right` with `left` in front.
fn preceded(left: T, right: Left) -> Left {
    if right.there {
        return Left(true, combine(left, right.value));
    }
    return Left(true, left);
}
