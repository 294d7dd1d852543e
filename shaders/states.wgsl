// What workgroups of one dispatch tell each other while they run. Every atomic of WGSL is relaxed, so a value
// and its flag travel in the same words: two of them, each half of the value's bits and a flag. A value is
// there when both flags are. Whoever publishes an entry publishes the same bits, so it does not matter who
// does, or whether two do at once.
//
// `states[0]` hands out tickets; its highest bit says which half of the entries this dispatch uses. While it
// runs it clears the other half for the next one: `states[1]` and `states[2]` say how much of each half is
// in use. So nothing has to be cleared between dispatches of any size.
const OTHER_HALF = 0x80000000u;
const HEADER = 4u;
const READY = 1u;
const CLEARING_LANES = 4u;

struct Entry {
    ready: bool,
    value: T,
}

/// Where an entry's two words are.
fn words(half: u32, entry: u32) -> u32 {
    return HEADER + half * ((arrayLength(&states) - HEADER) / 2u) + 2u * entry;
}

fn publish(half: u32, entry: u32, value: T) {
    let bits = bitcast<u32>(value);
    let at = words(half, entry);
    atomicStore(&states[at], (bits << 16u) | READY);
    atomicStore(&states[at + 1u], (bits & 0xffff0000u) | READY);
}

fn peek(half: u32, entry: u32) -> Entry {
    let at = words(half, entry);
    let low = atomicLoad(&states[at]);
    let high = atomicLoad(&states[at + 1u]);
    let ready = (low & high & READY) == READY;
    return Entry(ready, bitcast<T>((low >> 16u) | (high & 0xffff0000u)));
}

/// Looks until the entry is there, `patience` + 1 times at most.
fn await_entry(half: u32, entry: u32, patience: u32) -> Entry {
    var seen = peek(half, entry);
    for (var looks = 0u; looks < patience && !seen.ready; looks = looks + 1u) {
        seen = peek(half, entry);
    }
    return seen;
}

/// A tile's share of emptying the other half. Mostly one entry, and two where this dispatch is the smaller.
fn clear_other_half(half: u32, tile: u32, tiles: u32, lane: u32) {
    if lane < CLEARING_LANES {
        let used = atomicLoad(&states[2u - half]);
        for (var entry = lane * tiles + tile; entry < used; entry = entry + CLEARING_LANES * tiles) {
            let at = words(1u - half, entry);
            atomicStore(&states[at], 0u);
            atomicStore(&states[at + 1u], 0u);
        }
    }
}
