// Hillis & Steele (1986), "Data parallel algorithms": one element a lane; in each round every element takes
// in the one `offset` places to its left, and the offset doubles. Two buffers, so that a round reads only
// what the round before wrote.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<InCell>;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read_write> totals: array<u32>;
@group(0) @binding(5) var<storage, read_write> rounds: array<T>;

var<workgroup> line: array<T, 2u * LANES>;

@compute @workgroup_size(LANES)
fn hillis_steele(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.tiles {
        return;
    }
    let size = min(TILE, params.count - slot * TILE);
    let at = slot * TILE + lane;
    if lane < size {
        line[lane] = read_element(at);
    }

    var here = 0u;
    var round = 0u;
    for (var offset = 1u; offset < size; offset = offset << 1u) {
        workgroupBarrier();
        let next = LANES - here;
        if lane < size {
            trace(round, lane, line[here + lane]);
            var value = line[here + lane];
            if lane >= offset {
                value = combine(line[here + lane - offset], value);
            }
            line[next + lane] = value;
        }
        here = next;
        round = round + 1u;
    }
    workgroupBarrier();

    if lane < size {
        trace(round, lane, line[here + lane]);
        var value = line[here + lane];
        if EXCLUSIVE {
            value = identity();
            if lane > 0u {
                value = line[here + lane - 1u];
            }
        }
        write_element(at, value);
        if lane == size - 1u {
            write_total(params.first_tile + slot, line[here + lane]);
        }
    }
}
