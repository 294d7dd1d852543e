// Three-pass scan, second pass, one workgroup: the total of every whole block from its tiles' totals, then
// the left fold over the blocks. `prefixes[b]` becomes the combination of blocks 0..b; `prefixes[0]` is
// never written, for nothing lies before block 0.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> totals: array<T>;
@group(0) @binding(4) var<storage, read_write> prefixes: array<T>;

var<workgroup> sums: array<T, LANES>;

@compute @workgroup_size(LANES)
fn fold(@builtin(local_invocation_index) lane: u32) {
    var running = T();
    for (var first = 0u; first < params.blocks; first = first + LANES) {
        let block = first + lane;
        if block < params.blocks {
            sums[lane] = block_total(block * TILES_PER_BLOCK);
        }
        workgroupBarrier();
        if lane == 0u {
            let here = min(LANES, params.blocks - first);
            for (var i = 0u; i < here; i = i + 1u) {
                if first + i == 0u {
                    running = sums[i];
                } else {
                    running = combine(running, sums[i]);
                }
                sums[i] = running;
            }
        }
        workgroupBarrier();
        if block < params.blocks {
            prefixes[block + 1u] = sums[lane];
        }
    }
}
