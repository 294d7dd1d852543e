// Sums of ranges from a table of running sums: two look-ups each. A range that reaches beyond the table ends
// there.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> table: array<T>;
@group(0) @binding(2) var<storage, read> queries: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<T>;

@compute @workgroup_size(LANES)
fn ranges(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = (group.y * params.grid_x + group.x) * LANES + lane;
    if i >= params.count {
        return;
    }
    let at = params.queries_base + 2u * i;
    let end = min(queries[at + 1u], params.width);
    let start = min(queries[at], end);
    var sum = T();
    if end > start {
        sum = table[params.table_base + end - 1u];
        if start > 0u {
            sum = sum - table[params.table_base + start - 1u];
        }
    }
    sums[params.sums_base + i] = sum;
}
