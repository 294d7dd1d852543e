const TRACE = false;

fn trace(round: u32, i: u32, value: T) {
}
