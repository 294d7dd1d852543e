// Totals of rows, first pass. Lanes take rows: one without entries gets the identity, and how far a tree has to be
// grown for the longest of a workgroup's is written behind the cuts. And tiles: the first row that ends behind the
// begin of each.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> dst: array<OutCell>;
@group(0) @binding(3) var<storage, read> ends: array<u32>;
@group(0) @binding(4) var<storage, read_write> cuts: array<u32>;

var<workgroup> most_levels: atomic<u32>;

@compute @workgroup_size(LANES)
fn cut_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = group.y * params.grid_x + group.x;
    let i = number * ROWS_IN_GROUP + lane;
    // All on their way at once.
    let a = find_row(i);
    let b = find_row(i + LANES);
    let c = find_row(i + 2u * LANES);
    let d = find_row(i + 3u * LANES);
    if lane == 0u {
        atomicStore(&most_levels, 0u);
    }
    workgroupBarrier();
    let levels = max(max(look_at(a), look_at(b)), max(look_at(c), look_at(d)));
    // Of short rows, which are nearly all, nothing is to be told.
    if levels > 0u {
        atomicMax(&most_levels, levels);
    }
    workgroupBarrier();
    if lane == 0u && number < params.groups {
        cuts[params.levels_base + number] = atomicLoad(&most_levels);
    }
    // All rows end before what is behind the last tile, a place that may be beyond 32 bits.
    let tile = number * LANES + lane;
    if tile < params.tiles {
        cuts[tile] = segment_of(tile * TILE, 0u, params.rows);
    } else if tile == params.tiles {
        cuts[tile] = params.rows;
    }
}

/// Gives `row` the identity if it has no entries, and says how many levels above quads its total takes.
fn look_at(row: Row) -> u32 {
    if row.number >= params.rows {
        return 0u;
    }
    if row.begin >= row.end {
        write_result(row.number, leave(identity(), row.number));
        return 0u;
    }
    return levels_between(row.begin >> 2u, (row.end - 1u) >> 2u);
}
