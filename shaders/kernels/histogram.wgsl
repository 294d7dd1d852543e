// Histograms: every workgroup counts a run of the input in counters of its own, and then adds them to the
// result. All is addition modulo 2^32, so the order does not matter.
//
// Input comes in words of SAMPLES_PER_WORD samples; the first and the last word of a piece may hold samples that
// are not part of it.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> samples: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
/// Keys of the bins' lower edges, or the bin of every value.
@group(0) @binding(3) var<storage, read> edges: array<u32>;
@group(0) @binding(4) var<storage, read> weights: array<u32>;

const NONE = 0xffffffffu;
const SAMPLES_PER_WORD = 32u / SAMPLE_BITS;
const SAMPLE_MASK = 0xffffffffu >> (32u - SAMPLE_BITS);
const SIGN = 1u << (SAMPLE_BITS - 1u);
/// Adds what a workgroup has counted to the result.
fn deliver(counter: u32, sum: u32) {
    if sum == 0u {
        return;
    }
    let channel = counter / counters_of_channel();
    let bin = bin_of_counter(counter - channel * counters_of_channel());
    if bin < params.bins {
        atomicAdd(&counts[params.counts_base + channel * params.bins + bin], sum);
    }
}

/// Counts sample `i` of the piece, which is number `place` in its word.
fn tally_sample(word: u32, place: u32, i: u32, lane: u32) {
    let counter = counter_of(extractBits(word, place * SAMPLE_BITS, SAMPLE_BITS));
    if counter == NONE {
        return;
    }
    let channel = (params.channel + i) % CHANNELS;
    tally(channel * counters_of_channel() + counter, weight_of(i), lane);
}

/// The piece's first or last word.
fn tally_ragged_word(at: u32, lane: u32) {
    let word = samples[params.samples_base + at];
    for (var place = 0u; place < SAMPLES_PER_WORD; place = place + 1u) {
        // Wraps around before the piece, and is then beyond it.
        let i = at * SAMPLES_PER_WORD + place - params.skip;
        if i < params.count {
            tally_sample(word, place, i, lane);
        }
    }
}

@compute @workgroup_size(LANES)
fn histogram(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = group.y * params.grid_x + group.x;
    if slot >= params.groups {
        return;
    }
    begin(lane);
    let start = slot * params.share;
    let end = min(start + params.share, params.words);
    // Whole words of the share, and the ragged ones before and behind.
    let first = max(start, min(params.skip, 1u));
    let last = min(end, (params.skip + params.count) / SAMPLES_PER_WORD);
    if lane == 0u && start < first {
        tally_ragged_word(0u, lane);
    }
    if lane == 1u && last < end && first < end {
        tally_ragged_word(end - 1u, lane);
    }

    var at = first + lane;
    for (; at + (AT_ONCE - 1u) * LANES < last; at = at + AT_ONCE * LANES) {
        tally_words(at, lane);
    }
    for (; at < last; at = at + LANES) {
        tally_word(samples[params.samples_base + at], at, lane);
    }
    finish(lane);
}
