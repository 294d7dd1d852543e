// Lanes that work together by subgroup operations, in subgroups of any power-of-two width.
struct Lane {
    @builtin(local_invocation_index) index: u32,
    @builtin(subgroup_invocation_id) rank: u32,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_id) subgroup: u32,
}

/// No subgroup is narrower than four lanes (the host checks).
const MOST_SUBGROUPS = LANES / 4u;

var<workgroup> totals: array<u32, MOST_SUBGROUPS>;

struct Scanned {
    before: u32,
}

/// The lane's place in the workgroup.
fn place_of(lane: Lane) -> u32 {
    return lane.subgroup * lane.width + lane.rank;
}

/// Sum of what the lanes before hold.
fn scan_lanes(value: u32, lane: Lane) -> Scanned {
    let before = subgroupExclusiveAdd(value);
    if lane.rank == lane.width - 1u {
        totals[lane.subgroup] = before + value;
    }
    workgroupBarrier();
    var sum = before;
    for (var i = 0u; i < lane.subgroup; i = i + 1u) {
        sum = sum + totals[i];
    }
    return Scanned(sum);
}
