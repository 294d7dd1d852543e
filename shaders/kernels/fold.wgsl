// Three-pass scan, second pass, one workgroup a row: the total of every whole block from its tiles' totals,
// then the left fold over the blocks. `prefixes[b]` of a row becomes the combination of blocks 0..b;
// `prefixes[0]` is never written, for nothing lies before block 0 but what the scan starts from.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> totals: array<T>;
@group(0) @binding(4) var<storage, read_write> prefixes: array<T>;

var<workgroup> sums: array<T, LANES>;

@compute @workgroup_size(LANES)
fn fold(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.y * params.grid_x + group.x;
    if row >= params.rows {
        return;
    }
    let at = row * (params.blocks + 1u);
    var running = T();
    for (var first = 0u; first < params.blocks; first = first + LANES) {
        let block = first + lane;
        if block < params.blocks {
            sums[lane] = block_total(row, block);
        }
        workgroupBarrier();
        if lane == 0u {
            let here = min(LANES, params.blocks - first);
            for (var i = 0u; i < here; i = i + 1u) {
                if first + i > 0u {
                    running = combine(running, sums[i]);
                } else if STARTS {
                    running = combine(start(), sums[i]);
                } else {
                    running = sums[i];
                }
                sums[i] = running;
            }
        }
        workgroupBarrier();
        if block < params.blocks {
            prefixes[at + block + 1u] = sums[lane];
        }
    }
}
