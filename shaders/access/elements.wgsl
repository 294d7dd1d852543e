// Input and output element by element: for ranges that start or end anywhere, steps other than one, and
// rows. `params.src_base` counts words (narrow elements themselves).
fn read_quad(i: u32) -> Quad {
    let at = 4u * i;
    return Quad(read_element(at), read_element(at + 1u), read_element(at + 2u), read_element(at + 3u));
}

/// Elements at `count` and beyond come out as anything: nothing before them depends on them.
fn read_ragged_quad(i: u32, count: u32) -> Quad {
    let at = 4u * i;
    var quad = Quad();
    if at < count {
        quad.x = read_element(at);
    }
    if at + 1u < count {
        quad.y = read_element(at + 1u);
    }
    if at + 2u < count {
        quad.z = read_element(at + 2u);
    }
    if at + 3u < count {
        quad.w = read_element(at + 3u);
    }
    return quad;
}

fn write_quad(i: u32, quad: Quad) {
    let at = 4u * i;
    write_element(at, quad.x);
    write_element(at + 1u, quad.y);
    write_element(at + 2u, quad.z);
    write_element(at + 3u, quad.w);
}

/// Writes only the elements before `count`.
fn write_ragged_quad(i: u32, quad: Quad, count: u32) {
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
