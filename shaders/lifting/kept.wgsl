// A tile of a compaction. What is scanned is how many elements are kept, of which each lane has the elements and their
// bits. Those that are kept first come side by side in workgroup memory, for stores far apart would cost as much as
// storing all.
const STAGED = 2048u;
var<workgroup> staged: array<Out, STAGED>;

fn finish_tile(
    tile: Scanned,
    place: u32,
    has_prefix: bool,
    prefix: T,
    first: u32,
    whole: bool,
    lane: Lane,
) {
    var before = start_of_kept();
    if place > 0u {
        before = before + before_in_block(place);
    }
    if has_prefix {
        before = before + prefix;
    }
    let quads = finish_each(tile.quads, before_each(tile.ends, lane), before_run(lane), first, stride(lane));
    let total = total_of_tile(lane);
    for (var start = 0u; start < total; start = start + STAGED) {
        stage_each(quads, first, stride(lane), start);
        workgroupBarrier();
        for (var i = lane.index; i < min(STAGED, total - start); i = i + LANES) {
            write_result(before + start + i, staged[i]);
        }
        workgroupBarrier();
    }
    if lane.index == 0u {
        let end = 4u * (first - first_quad(lane)) + TILE;
        tell_count(min(end, params.count) - 1u, before + total);
    }
}
