// Counting digits, without subgroups.
/// Adds a whole tile's keys to `bins`.
fn count_key(key: Key, lane: Lane) {
    count_alone(code_of(key));
}
