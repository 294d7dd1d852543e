// What the kernels of one sort know together, in one range of words: the number of keys, for each digit a
// ticket counter and whether all keys agree on it, the digits' histograms, and two halves of rows. A row is
// what a tile has published: for each value of the digit, how many keys have it in the tile, or in this tile
// and all before. Digits take turns with the halves; a tile empties its row for the next digit.
@group(0) @binding(3) var<storage, read_write> table: array<atomic<u32>>;

const BINS = 256u;
const MOST_DIGITS = 8u;
const LENGTH = 0u;
const TICKETS = 8u;
const AGREED = TICKETS + MOST_DIGITS;
const HISTOGRAMS = 32u;
const ROWS = HISTOGRAMS + MOST_DIGITS * BINS;
