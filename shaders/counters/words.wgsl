// Counters of 32 bits in workgroup memory, in copies, as in `halves.wgsl`.
var<workgroup> counters: array<atomic<u32>, COUNTER_WORDS>;

fn begin(lane: u32) {
    for (var i = lane; i < (CHANNELS * counters_of_channel()) << params.copies_log2; i = i + LANES) {
        atomicStore(&counters[i], 0u);
    }
    workgroupBarrier();
}

fn tally(counter: u32, weight: u32, lane: u32) {
    let copy = lane & ((1u << params.copies_log2) - 1u);
    atomicAdd(&counters[(counter << params.copies_log2) + copy], weight);
}

fn finish(lane: u32) {
    workgroupBarrier();
    for (var counter = lane; counter < CHANNELS * counters_of_channel(); counter = counter + LANES) {
        let copies = 1u << params.copies_log2;
        var sum = 0u;
        for (var i = 0u; i < copies; i = i + 1u) {
            sum = sum + atomicLoad(&counters[(counter << params.copies_log2) + ((counter + i) & (copies - 1u))]);
        }
        deliver(counter, sum);
    }
}
