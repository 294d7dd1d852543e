// Input and output element by element: for ranges that start or end anywhere. `params.src_base` and
// `params.dst_base` count elements.
alias Cell = T;

fn read_quad(i: u32) -> Quad {
    let at = params.src_base + 4u * i;
    return Quad(cell(at), cell(at + 1u), cell(at + 2u), cell(at + 3u));
}

/// Elements at `count` and beyond come out as anything: nothing before them depends on them.
fn read_ragged_quad(i: u32, count: u32) -> Quad {
    let at = params.src_base + 4u * i;
    var quad = Quad();
    if 4u * i < count {
        quad.x = cell(at);
    }
    if 4u * i + 1u < count {
        quad.y = cell(at + 1u);
    }
    if 4u * i + 2u < count {
        quad.z = cell(at + 2u);
    }
    if 4u * i + 3u < count {
        quad.w = cell(at + 3u);
    }
    return quad;
}

fn write_quad(i: u32, quad: Quad) {
    let at = params.dst_base + 4u * i;
    dst[at] = quad.x;
    dst[at + 1u] = quad.y;
    dst[at + 2u] = quad.z;
    dst[at + 3u] = quad.w;
}

/// Writes only the elements before `count`.
fn write_ragged_quad(i: u32, quad: Quad, count: u32) {
    let at = params.dst_base + 4u * i;
    if 4u * i < count {
        dst[at] = quad.x;
    }
    if 4u * i + 1u < count {
        dst[at + 1u] = quad.y;
    }
    if 4u * i + 2u < count {
        dst[at + 2u] = quad.z;
    }
    if 4u * i + 3u < count {
        dst[at + 3u] = quad.w;
    }
}
