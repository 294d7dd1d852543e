// What workgroups of one dispatch tell each other while they run. Every atomic of WGSL is relaxed, so a value
// and its flag travel in the same words: two for each word of the value, each half of its bits and a flag. A
// value is there when all flags are. Whoever publishes an entry publishes the same bits, so it does not matter
// who does, or whether two do at once. `publish` and `peek` know how values are made of words.
//
// Each block has a record: its tiles' totals side by side, first words and second words and so on, for those are
// looked at together; then, far from them and from each other, the prefix before the block and its total. Many
// workgroups look at the latest few of these at once, and where they shared a line of the cache that line's
// queue was what every tile waited for.
//
// `states[0]` hands out tickets; its highest bit says which half of the records this dispatch uses. While it
// runs it clears the other half for the next one: `states[1]` and `states[2]` say how many words of each half
// are in use. So nothing has to be cleared between dispatches of any size.
const OTHER_HALF = 0x80000000u;
const HEADER = 32u;
const READY = 1u;
/// Words in a record: at least twice what the tiles' totals take.
const RECORD = max(256u, 4u * WORDS * TILES_PER_BLOCK);
/// Words of the other half that a tile clears at once.
const CLEARED = RECORD / TILES_PER_BLOCK;

struct Entry {
    ready: bool,
    value: T,
}

/// Where an entry's words are: the first, and how far from one to the next.
struct Words {
    first: u32,
    step: u32,
}

fn half_origin(half: u32) -> u32 {
    return HEADER + half * (((arrayLength(&states) - HEADER) / 2u) & ~31u);
}

fn tile_total(half: u32, tile: u32) -> Words {
    let at = half_origin(half) + tile / TILES_PER_BLOCK * RECORD + tile % TILES_PER_BLOCK;
    return Words(at, TILES_PER_BLOCK);
}

fn block_prefix(half: u32, block: u32) -> Words {
    let at = half_origin(half) + block * RECORD + RECORD / 2u;
    return Words(at, 1u);
}

fn block_total(half: u32, block: u32) -> Words {
    let at = half_origin(half) + block * RECORD + RECORD / 4u * 3u;
    return Words(at, 1u);
}

/// A tile's share of clearing the other half: one piece, or more where this dispatch is the smaller.
fn clear_other_half(half: u32, tile: u32, tiles: u32, lane: u32) {
    if lane < CLEARED {
        clear_used(atomicLoad(&states[2u - half]), half, tile, tiles, lane);
    }
}

/// The same where it is known how many words of the other half are in use.
fn clear_used(used: u32, half: u32, tile: u32, tiles: u32, lane: u32) {
    let origin = half_origin(1u - half);
    for (var i = tile * CLEARED + lane; i < used; i = i + CLEARED * tiles) {
        atomicStore(&states[origin + i], 0u);
    }
}
