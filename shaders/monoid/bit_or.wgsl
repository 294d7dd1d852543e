// Bitwise or, word by word.
fn combine(left: T, right: T) -> T {
    return left | right;
}
