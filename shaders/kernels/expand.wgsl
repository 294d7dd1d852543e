// Load-balancing search, second pass: the segment of every item, and its rank in it. A workgroup has as many items
// whatever the segments' lengths. The ends that fall among its items are brought to workgroup memory, unless too
// many segments are empty.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> ends: array<u32>;
@group(0) @binding(2) var<storage, read> cuts: array<u32>;
@group(0) @binding(3) var<storage, read_write> segments: array<u32>;
@group(0) @binding(4) var<storage, read_write> ranks: array<u32>;

var<workgroup> window: array<u32, TILE>;

@compute @workgroup_size(LANES)
fn expand(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.tiles {
        return;
    }
    let tile = params.first_tile + slot;
    let first = cuts[tile];
    let last = cuts[tile + 1u];
    let fits = last - first <= TILE;
    if fits {
        for (var i = lane; i < last - first; i = i + LANES) {
            window[i] = ends[params.ends_base + first + i];
        }
    }
    workgroupBarrier();

    for (var i = lane; i < TILE && slot * TILE + i < params.count; i = i + LANES) {
        let item = tile * TILE + i;
        var segment = first;
        if fits {
            var high = last - first;
            var low = 0u;
            while low < high {
                let middle = (low + high) / 2u;
                if window[middle] <= item {
                    low = middle + 1u;
                } else {
                    high = middle;
                }
            }
            segment = first + low;
        } else {
            segment = segment_of(item, first, last);
        }
        var start = 0u;
        if segment > 0u {
            start = ends[params.ends_base + segment - 1u];
        }
        segments[params.segments_base + slot * TILE + i] = segment;
        ranks[params.ranks_base + slot * TILE + i] = item - start;
    }
}
