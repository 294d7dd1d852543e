// Radix sort, one digit: every key to its place, in one pass over the keys. A. Adinets and D. Merrill,
// "Onesweep: a faster least significant digit radix sort for GPUs" (2022): a tile sorts itself by the digit,
// learns from the tiles before it how many of their keys have each value, and writes runs of equal digits.
//
// Tiles are claimed by ticket, so that every tile before a running one is running or done. No wait is
// unbounded: after `params.patience` fruitless looks a workgroup counts the tile it waits for itself.
@group(0) @binding(0) var<uniform> params: Params;

const NONE = 0xffffffffu;
/// The upper bits of an entry of a row: nothing yet, the tile's own count, or that of all up to it.
const OWN = 0x40000000u;
const UP_TO = 0x80000000u;
const VALUE = 0x3fffffffu;

/// Of all tiles: the number, how many keys there are, whether all agree on this digit.
var<workgroup> task: vec3<u32>;
/// One more than the last tile whose row has not come, or 0.
var<workgroup> missing: atomic<u32>;
var<workgroup> latest_missing: u32;
/// By value of the digit: counts of a tile, and in the end how far its keys have to go.
var<workgroup> bins: array<atomic<u32>, BINS>;

fn entry(tile: u32, value: u32) -> u32 {
    return ROWS + (params.half * params.tiles + tile) * BINS + value;
}

/// How many keys of all whole tiles before a tile have a value, as far as a lane has looked.
struct Look {
    before: u32,
    /// One more than the tile to look at next.
    next: u32,
    /// Whether there is more to look for.
    looking: bool,
    /// Whether all looks of this round have been fruitful so far.
    fruitful: bool,
}

/// With the entry of one more tile.
fn take_in(look: Look, seen: u32) -> Look {
    if !look.fruitful || seen == 0u {
        return Look(look.before, look.next, look.looking, false);
    }
    let next = look.next - 1u;
    // The first tile's own count is that of all up to it.
    let looking = seen < UP_TO && next > 0u;
    return Look(look.before + (seen & VALUE), next, looking, looking);
}

/// What is known of the tile `back` places before tile `next`; if there is none, of the first.
fn peek(next: u32, back: u32, value: u32) -> u32 {
    return atomicLoad(&table[entry(max(next, back) - back, value)]);
}

/// How many keys of all whole tiles before `tile` have this value of the digit.
fn look_back(tile: u32, value: u32, lane: Lane) -> u32 {
    var look = Look(0u, tile, tile > 0u, true);
    loop {
        if look.looking {
            var looks = 0u;
            loop {
                // Four at once: one after the other, each would take as long as all of them together.
                let next = look.next;
                let seen = vec4(
                    peek(next, 1u, value), peek(next, 2u, value), peek(next, 3u, value), peek(next, 4u, value)
                );
                look.fruitful = true;
                look = take_in(take_in(take_in(take_in(look, seen.x), seen.y), seen.z), seen.w);
                if !look.looking {
                    break;
                }
                if seen.x != 0u {
                    looks = 0u;
                } else if looks == params.patience {
                    atomicMax(&missing, next);
                    break;
                } else {
                    looks = looks + 1u;
                }
            }
        }
        workgroupBarrier();
        if lane.index == 0u {
            latest_missing = atomicLoad(&missing);
            atomicStore(&missing, 0u);
        }
        let late = workgroupUniformLoad(&latest_missing);
        if late == 0u {
            break;
        }
        let count = count_again(late - 1u, value, lane);
        atomicMax(&table[entry(late - 1u, value)], OWN | count);
        if look.looking && look.next == late {
            look = take_in(Look(look.before, look.next, true, true), OWN | count);
        }
    }
    return look.before;
}

/// How many keys of a whole tile have this value.
fn count_again(tile: u32, value: u32, lane: Lane) -> u32 {
    atomicStore(&bins[value], 0u);
    workgroupBarrier();
    for (var i = lane.index; i < TILE; i = i + LANES) {
        atomicAdd(&bins[digit_of(load_key(tile * TILE + i))], 1u);
    }
    workgroupBarrier();
    return atomicLoad(&bins[value]);
}

@compute @workgroup_size(LANES)
fn radix_sweep(@builtin(workgroup_id) group: vec3<u32>, lane: Lane) {
    if lane.index == 0u {
        let length = length();
        let slot = group.y * params.grid_x + group.x;
        task = vec3(NONE, length, 0u);
        if slot * TILE < length {
            task.x = slot;
            task.z = atomicLoad(&table[AGREED + params.digit]);
            if task.z == 0u {
                task.x = atomicAdd(&table[TICKETS + params.digit], 1u);
            }
        }
        atomicStore(&missing, 0u);
    }
    let claimed = workgroupUniformLoad(&task);
    if claimed.x == NONE {
        return;
    }
    let tile = claimed.x;
    let start = tile * TILE;
    let size = min(TILE, claimed.y - start);
    let value = place_of(lane);
    atomicStore(&table[ROWS + ((1u - params.half) * params.tiles + tile) * BINS + value], 0u);

    let first = first_of(lane);
    let keys = load_tile(start + first, stride_of(lane), start + size - 1u);
    if claimed.z != 0u {
        copy_tile(keys, start, first, stride_of(lane), size);
        return;
    }

    let ranks = rank_tile(keys, first, size, lane);
    let count = count_of(value, size, lane);
    atomicStore(&table[entry(tile, value)], OWN | count);
    let here = scan_lanes(count, lane).before;
    let places = place_tile(keys, ranks, here, first, size, lane);
    stage_tile(keys, places);
    let before = look_back(tile, value, lane);
    atomicStore(&table[entry(tile, value)], UP_TO | (before + count));
    let there = atomicLoad(&table[HISTOGRAMS + params.digit * BINS + value]);
    atomicStore(&bins[value], there + before - here);
    workgroupBarrier();
    move_tile(keys, places, start, first, size, lane);
}
