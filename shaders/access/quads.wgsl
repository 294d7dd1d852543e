// Input and output as whole quads: both start on a cell's boundary, and both bindings reach to the end of
// their last quad. `params.src_base` and `params.dst_base` count cells.

/// Elements at `count` and beyond come out as anything.
fn input_ragged(i: u32, count: u32) -> Inputs {
    if 4u * i < count {
        return input_quad(i);
    }
    return Inputs();
}

/// Writes only the elements before `count`.
fn write_ragged_quad(i: u32, quad: Written, count: u32) {
    if 4u * i + 3u < count {
        write_quad(i, quad);
    } else if 4u * i < count {
        write_part_of_quad(i, quad, count - 4u * i);
    }
}
