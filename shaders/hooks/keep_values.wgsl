fn keeps(value: In, i: u32) -> bool {
    return keep(value);
}
