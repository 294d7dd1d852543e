// Blelloch (1990), "Prefix sums and their applications": an up-sweep builds a tree of sums in place, its
// root is cleared, and a down-sweep hands every node the sum of all that lies left of it. Two elements a
// lane; every 32nd slot is left empty, so that strides of powers of two do not meet in one memory bank.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<InCell>;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read_write> totals: array<u32>;
@group(0) @binding(5) var<storage, read_write> rounds: array<T>;

const LOG_BANKS = 5u;

var<workgroup> sums: array<T, TILE + (TILE >> LOG_BANKS)>;

fn padded(i: u32) -> u32 {
    return i + (i >> LOG_BANKS);
}

/// Between rounds, when every lane's writes are in: shows the tree as it stands.
fn trace_tree(round: u32, lane: u32, size: u32) {
    for (var i = lane; i < size; i = i + LANES) {
        trace(round, i, sums[padded(i)]);
    }
    workgroupBarrier();
}

@compute @workgroup_size(LANES)
fn blelloch(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.tiles {
        return;
    }
    let at = slot * TILE;
    let present = min(TILE, params.count - at);
    // The tree covers the next power of two; identities fill it up.
    var size = 1u;
    while size < present {
        size = size << 1u;
    }
    for (var i = lane; i < size; i = i + LANES) {
        var value = identity();
        if i < present {
            value = read_element(at + i);
        }
        sums[padded(i)] = value;
    }

    var round = 0u;
    for (var offset = 1u; offset < size; offset = offset << 1u) {
        workgroupBarrier();
        if TRACE {
            trace_tree(round, lane, size);
        }
        let right = 2u * offset * (lane + 1u) - 1u;
        if right < size {
            let left = right - offset;
            sums[padded(right)] = combine(sums[padded(left)], sums[padded(right)]);
        }
        round = round + 1u;
    }
    workgroupBarrier();
    if TRACE {
        trace_tree(round, lane, size);
    }
    if lane == 0u {
        write_total(params.first_tile + slot, sums[padded(size - 1u)]);
        sums[padded(size - 1u)] = identity();
    }
    round = round + 1u;

    for (var offset = size >> 1u; offset > 0u; offset = offset >> 1u) {
        workgroupBarrier();
        if TRACE {
            trace_tree(round, lane, size);
        }
        let right = 2u * offset * (lane + 1u) - 1u;
        if right < size {
            let left = right - offset;
            let total_of_left = sums[padded(left)];
            sums[padded(left)] = sums[padded(right)];
            sums[padded(right)] = combine(sums[padded(right)], total_of_left);
        }
        round = round + 1u;
    }
    workgroupBarrier();
    if TRACE {
        trace_tree(round, lane, size);
    }

    for (var i = lane; i < present; i = i + LANES) {
        var value = sums[padded(i)];
        if !EXCLUSIVE {
            value = combine(value, read_element(at + i));
        }
        write_element(at + i, value);
    }
}
