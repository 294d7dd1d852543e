// A tile ranked without subgroup operations: two stable passes over four bits each, in workgroup memory. Each
// lane counts its own contiguous keys, two 16-bit counts in a word; a scan over all lanes' counts, digit by
// digit, says where each key goes (as in M. Harris, S. Sengupta and J. Owens, "Parallel prefix sum (scan)
// with CUDA", 2007, and D. Merrill and A. Grimshaw, "High performance and scalable radix sorting", 2011).
/// Words of a lane's counts of four-bit digits.
const COUNTS = 8u;

var<workgroup> words: array<u32, WORDS>;

fn put(i: u32, word: u32) {
    words[i] = word;
}

fn take(i: u32) -> u32 {
    return words[i];
}

fn first_of(lane: Lane) -> u32 {
    return lane.index;
}

fn stride_of(lane: Lane) -> u32 {
    return LANES;
}

/// Counts the tile's digits. Nothing is ranked yet.
fn rank_tile(keys: Keys, first: u32, size: u32, lane: Lane) -> Words {
    atomicStore(&bins[lane.index], 0u);
    workgroupBarrier();
    count_each(keys, first, size);
    workgroupBarrier();
    return Words();
}

/// Keys of the tile that have this value.
fn count_of(value: u32, size: u32, lane: Lane) -> u32 {
    return atomicLoad(&bins[value]);
}

/// Where each key goes in the tile.
fn place_tile(keys: Keys, ranks: Words, start: u32, first: u32, size: u32, lane: Lane) -> Words {
    // A key as its digit and its index in the tile.
    put_records(keys, first, size);
    workgroupBarrier();
    let end = min(24u, params.grid_x * 24u);
    for (var shift = 16u; shift < end; shift = shift + 4u) {
        let records = take_records(lane.index * PER_LANE);
        workgroupBarrier();
        for (var i = 0u; i < COUNTS; i = i + 1u) {
            put(i * LANES + lane.index, 0u);
        }
        let before = count_records(records, shift, lane.index);
        workgroupBarrier();
        scan_counts(lane);
        workgroupBarrier();
        let places = place_records(records, before, shift, lane.index);
        workgroupBarrier();
        if shift == 16u {
            put_each(places, records);
        } else {
            put_places(places, records);
        }
        workgroupBarrier();
    }
    let places = take_places(lane.index);
    workgroupBarrier();
    return places;
}

/// The lane's counter of a four-bit digit, and where in the word it is.
fn counter_of(record: u32, shift: u32, lane: u32) -> vec2<u32> {
    let digit = (record >> shift) & 15u;
    return vec2((digit & 7u) * LANES + lane, (digit >> 3u) * 16u);
}

/// How many keys of its digit the lane has counted before.
fn count_record(record: u32, shift: u32, lane: u32) -> u32 {
    let counter = counter_of(record, shift, lane);
    let word = take(counter.x);
    put(counter.x, word + (1u << counter.y));
    return (word >> counter.y) & 0xffffu;
}

fn place_record(record: u32, before: u32, shift: u32, lane: u32) -> u32 {
    let counter = counter_of(record, shift, lane);
    return before + ((take(counter.x) >> counter.y) & 0xffffu);
}

/// Counts become sums of all counts of smaller digits, and of the same digit in lanes before. The upper
/// halves of words are digits 8 to 15, and follow the lower ones.
fn scan_counts(lane: Lane) {
    let first = lane.index * COUNTS;
    var sum = 0u;
    for (var i = 0u; i < COUNTS; i = i + 1u) {
        sum = sum + take(first + i);
    }
    let scanned = scan_lanes(sum, lane);
    var next = scanned.before + (scanned.total << 16u);
    for (var i = 0u; i < COUNTS; i = i + 1u) {
        let count = take(first + i);
        put(first + i, next);
        next = next + count;
    }
}
