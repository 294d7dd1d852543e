// Input and output as whole quads: both start on a quad's boundary, and both bindings reach to the end
// of their last quad. `params.src_base` and `params.dst_base` count quads.
alias Cell = Quad;

fn read_quad(i: u32) -> Quad {
    return cell(params.src_base + i);
}

/// Elements at `count` and beyond come out as anything: nothing before them depends on them.
fn read_ragged_quad(i: u32, count: u32) -> Quad {
    if 4u * i < count {
        return read_quad(i);
    }
    return Quad();
}

fn write_quad(i: u32, quad: Quad) {
    dst[params.dst_base + i] = quad;
}

/// Writes only the elements before `count`.
fn write_ragged_quad(i: u32, quad: Quad, count: u32) {
    let at = params.dst_base + i;
    if 4u * i + 3u < count {
        dst[at] = quad;
        return;
    }
    if 4u * i < count {
        dst[at].x = quad.x;
    }
    if 4u * i + 1u < count {
        dst[at].y = quad.y;
    }
    if 4u * i + 2u < count {
        dst[at].z = quad.z;
    }
}
