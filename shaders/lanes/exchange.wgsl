// Four neighbouring lanes' runs, four quads of each at a time: where a lane moves one quad of each run, four lanes move
// 64 bytes side by side. What a lane moves and what it works on is the same square, turned around its diagonal.
struct Cells {
    c0: vec4<u32>,
    c1: vec4<u32>,
    c2: vec4<u32>,
    c3: vec4<u32>,
}

/// Which of the four lanes has the run that begins with quad `first`.
fn lane_of_four(first: u32) -> u32 {
    return (first / QUADS) % 4u;
}

/// The first of the quads that it moves; the next is in the next lane's run.
fn first_to_move(first: u32) -> u32 {
    return first - (QUADS - 1u) * lane_of_four(first);
}

fn from_lane(cell: vec4<u32>, distance: u32) -> vec4<u32> {
    return vec4(
        subgroupShuffleXor(cell.x, distance),
        subgroupShuffleXor(cell.y, distance),
        subgroupShuffleXor(cell.z, distance),
        subgroupShuffleXor(cell.w, distance),
    );
}

/// Turns the square around: all lanes of a subgroup call it. First its quarters change places, then theirs.
fn exchange(cells: Cells, lane: u32) -> Cells {
    let is_lower = (lane & 2u) != 0u;
    let from_0 = from_lane(select(cells.c2, cells.c0, is_lower), 2u);
    let from_1 = from_lane(select(cells.c3, cells.c1, is_lower), 2u);
    let c0 = select(cells.c0, from_0, is_lower);
    let c1 = select(cells.c1, from_1, is_lower);
    let c2 = select(from_0, cells.c2, is_lower);
    let c3 = select(from_1, cells.c3, is_lower);
    let is_odd = (lane & 1u) != 0u;
    let of_upper = from_lane(select(c1, c0, is_odd), 1u);
    let of_lower = from_lane(select(c3, c2, is_odd), 1u);
    return Cells(
        select(c0, of_upper, is_odd),
        select(of_upper, c1, is_odd),
        select(c2, of_lower, is_odd),
        select(of_lower, c3, is_odd),
    );
}
