// Sums of boxes from an integral image: four look-ups each. A box that reaches beyond the image ends there.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> table: array<T>;
@group(0) @binding(2) var<storage, read> queries: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<T>;

/// The sum of all rows before `bottom` between columns `left` and `right`, where `left` < `right`.
fn above(bottom: u32, left: u32, right: u32) -> T {
    if bottom == 0u {
        return T();
    }
    let row = params.table_base + (bottom - 1u) * params.width;
    let sum = table[row + right - 1u];
    if left == 0u {
        return sum;
    }
    return sum - table[row + left - 1u];
}

@compute @workgroup_size(LANES)
fn boxes(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = (group.y * params.grid_x + group.x) * LANES + lane;
    if i >= params.count {
        return;
    }
    let at = params.queries_base + 4u * i;
    let right = min(queries[at + 2u], params.width);
    let left = min(queries[at], right);
    let bottom = min(queries[at + 3u], params.height);
    let top = min(queries[at + 1u], bottom);
    var sum = T();
    if left < right && top < bottom {
        sum = above(bottom, left, right) - above(top, left, right);
    }
    sums[params.sums_base + i] = sum;
}
