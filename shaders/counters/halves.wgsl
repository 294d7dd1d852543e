// Counters of 16 bits in workgroup memory, two to a word, in 2^copies_log2 copies. Neighbouring lanes have different
// copies, and those lie in different memory banks: their equal samples do not wait for each other.
//
// The host gives a workgroup so few samples that no counter can reach 2^16.
var<workgroup> counters: array<atomic<u32>, COUNTER_WORDS>;

fn words_in_use() -> u32 {
    return ((CHANNELS * counters_of_channel() + 1u) >> 1u) << params.copies_log2;
}

fn begin(lane: u32) {
    for (var i = lane; i < words_in_use(); i = i + LANES) {
        atomicStore(&counters[i], 0u);
    }
    workgroupBarrier();
}

fn tally(counter: u32, weight: u32, lane: u32) {
    let copy = lane & ((1u << params.copies_log2) - 1u);
    atomicAdd(&counters[((counter >> 1u) << params.copies_log2) + copy], weight << ((counter & 1u) * 16u));
}

fn finish(lane: u32) {
    workgroupBarrier();
    for (var counter = lane; counter < CHANNELS * counters_of_channel(); counter = counter + LANES) {
        let pair = counter >> 1u;
        let copies = 1u << params.copies_log2;
        var sum = 0u;
        for (var i = 0u; i < copies; i = i + 1u) {
            // Neighbours begin with different copies, for the same banks.
            let word = atomicLoad(&counters[(pair << params.copies_log2) + ((pair + i) & (copies - 1u))]);
            sum = sum + ((word >> ((counter & 1u) * 16u)) & 0xffffu);
        }
        deliver(counter, sum);
    }
}
