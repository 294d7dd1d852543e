// The arguments of an indirect dispatch over as many elements as were counted, `rows` to a workgroup.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> grid: array<u32>;
@group(0) @binding(8) var<storage, read> counts: array<u32>;

@compute @workgroup_size(LANES)
fn arguments(@builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        let groups = (counts[params.count_base] + params.rows - 1u) / params.rows;
        // As few rows of groups as the device allows; the last one may have some over.
        let rows = max(1u, (groups + params.len - 1u) / params.len);
        grid[params.dst_base] = (groups + rows - 1u) / rows;
        grid[params.dst_base + 1u] = rows;
        grid[params.dst_base + 2u] = 1u;
    }
}
