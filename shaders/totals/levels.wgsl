/// How many levels above the leaves `total_between` looks at, at most, for a row from the leaf `first` to `last`: it
/// takes a level while there are others between, and each leaves half as many there.
fn levels_between(first: u32, last: u32) -> u32 {
    return 31u - countLeadingZeros(max(last - first, 2u) - 1u);
}
