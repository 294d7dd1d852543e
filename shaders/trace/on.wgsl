const TRACE = true;

/// Writes out what workgroup memory holds in slot `i` when `round` begins. One tile only.
fn trace(round: u32, i: u32, value: T) {
    rounds[round * TILE + i] = value;
}
