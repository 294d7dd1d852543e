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
fn scan_lanes(value: u32, lane: Lane) -> Scanned {
    var sum = value;
    for (var offset = 1u; offset < LANES; offset = offset << 1u) {
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
