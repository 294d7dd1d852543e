// Scans start from the identity, which is never combined with anything.
const STARTS = false;

fn start() -> T {
    return identity();
}
