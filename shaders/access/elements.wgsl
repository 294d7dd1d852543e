// Input and output element by element: for ranges that start or end anywhere, steps other than one, and
// rows. `params.src_base` counts words (narrow elements themselves).

/// Elements at `count` and beyond come out as anything.
fn input_ragged(i: u32, count: u32) -> Inputs {
    let at = 4u * i;
    var quad = Inputs();
    if at < count {
        quad.x = input_element(at);
    }
    if at + 1u < count {
        quad.y = input_element(at + 1u);
    }
    if at + 2u < count {
        quad.z = input_element(at + 2u);
    }
    if at + 3u < count {
        quad.w = input_element(at + 3u);
    }
    return quad;
}

fn write_quad(i: u32, quad: Written) {
    let at = 4u * i;
    write_element(at, quad.x);
    write_element(at + 1u, quad.y);
    write_element(at + 2u, quad.z);
    write_element(at + 3u, quad.w);
}

/// Writes only the elements before `count`.
fn write_ragged_quad(i: u32, quad: Written, count: u32) {
    let at = 4u * i;
    if at < count {
        write_element(at, quad.x);
    }
    if at + 1u < count {
        write_element(at + 1u, quad.y);
    }
    if at + 2u < count {
        write_element(at + 2u, quad.z);
    }
    if at + 3u < count {
        write_element(at + 3u, quad.w);
    }
}
