// Lanes that work together through workgroup memory alone.
struct Lane {
    @builtin(local_invocation_index) index: u32,
}

var<workgroup> line: array<u32, LANES>;

struct Scanned {
    before: u32,
    total: u32,
}

/// The lane's place in the workgroup.
fn place_of(lane: Lane) -> u32 {
    return lane.index;
}

/// Sum of what the lanes before hold, and of what all hold.
///
/// Here and where tiles are ranked, loops with barriers are bounded by a parameter, which no compiler knows to
/// be more than 0: unrolled, their barriers take lavapipe minutes to compile.
fn scan_lanes(value: u32, lane: Lane) -> Scanned {
    var sum = value;
    let end = min(LANES, params.grid_x * LANES);
    for (var offset = 1u; offset < end; offset = offset << 1u) {
        line[lane.index] = sum;
        workgroupBarrier();
        if lane.index >= offset {
            sum = sum + line[lane.index - offset];
        }
        workgroupBarrier();
    }
    line[lane.index] = sum;
    workgroupBarrier();
    let total = line[LANES - 1u];
    workgroupBarrier();
    return Scanned(sum - value, total);
}
