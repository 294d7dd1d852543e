// More counters than workgroup memory holds: straight into the result. A lane adds up a run of samples of the
// same counter first, so that an input that is all alike does not queue for one word.
var<private> run_counter: u32 = NONE;
var<private> run_sum: u32;

fn begin(lane: u32) {
}

fn tally(counter: u32, weight: u32, lane: u32) {
    if counter != run_counter {
        finish(lane);
        run_counter = counter;
        run_sum = 0u;
    }
    run_sum = run_sum + weight;
}

fn finish(lane: u32) {
    if run_counter != NONE {
        deliver(run_counter, run_sum);
    }
}
