// A tile ranked by subgroups of any power-of-two width: each owns a contiguous run of keys and walks through
// it in steps of one key a lane. In a step the lanes of one digit find each other by ballots, and their first
// one takes places for all of them in the subgroup's own table of counts.
/// Tables of counts that there is room for. Subgroups beyond as many share them and take turns, in order.
const TABLES = 8u;
/// First the tables, then the keys in their new order.
var<workgroup> words: array<atomic<u32>, WORDS>;

fn put(i: u32, word: u32) {
    atomicStore(&words[i], word);
}

fn take(i: u32) -> u32 {
    return atomicLoad(&words[i]);
}

fn first_of(lane: Lane) -> u32 {
    return lane.subgroup * PER_LANE * lane.width + lane.rank;
}

fn stride_of(lane: Lane) -> u32 {
    return lane.width;
}

fn turns_of(lane: Lane) -> u32 {
    return max(1u, LANES / lane.width / TABLES);
}

fn table_of(lane: Lane) -> u32 {
    return lane.subgroup / turns_of(lane) * BINS;
}

/// What a lane knows of those with the same digit: their first one, how many precede it, how many there are.
struct Peers {
    leader: u32,
    before: u32,
    count: u32,
}

fn peers_of(digit: u32, lane: Lane) -> Peers {
    if lane.width <= 32u {
        var mask = subgroupBallot(true).x;
        for (var bit = 0u; bit < 8u; bit = bit + 1u) {
            let mine = (digit >> bit) & 1u;
            mask &= subgroupBallot(mine != 0u).x ^ (mine - 1u);
        }
        let lower = mask & ((1u << lane.rank) - 1u);
        return Peers(firstTrailingBit(mask), countOneBits(lower), countOneBits(mask));
    }
    var mask = subgroupBallot(true);
    for (var bit = 0u; bit < 8u; bit = bit + 1u) {
        let mine = (digit >> bit) & 1u;
        mask &= subgroupBallot(mine != 0u) ^ vec4(mine - 1u);
    }
    var peers = Peers(0u, 0u, 0u);
    for (var word = 4u; word > 0u; word = word - 1u) {
        let first = (word - 1u) * 32u;
        let here = mask[word - 1u];
        if here != 0u {
            peers.leader = first + firstTrailingBit(here);
        }
        peers.count += countOneBits(here);
        if lane.rank >= first + 32u {
            peers.before += countOneBits(here);
        } else if lane.rank >= first {
            peers.before += countOneBits(here & ((1u << (lane.rank - first)) - 1u));
        }
    }
    return peers;
}

/// The place of a key among those of its digit in its table's part of the tile.
fn rank_key(digit: u32, known: u32, mine: bool, lane: Lane) -> u32 {
    let peers = peers_of(digit, lane);
    var base = 0u;
    if mine && peers.before == 0u {
        base = atomicAdd(&words[table_of(lane) + digit], peers.count);
    }
    let rank = subgroupShuffle(base, peers.leader) + peers.before;
    return select(known, rank, mine);
}

fn rank_tile(keys: Keys, first: u32, size: u32, lane: Lane) -> Words {
    for (var i = lane.index; i < TABLES * BINS; i = i + LANES) {
        put(i, 0u);
    }
    workgroupBarrier();
    var ranks: Words;
    let turns = turns_of(lane);
    for (var turn = 0u; turn < turns; turn = turn + 1u) {
        ranks = rank_each(keys, ranks, lane.subgroup % turns == turn, first, size, lane);
        workgroupBarrier();
    }
    return ranks;
}

/// Keys of the tile that have this value. Words that no key fills count as the highest value.
fn count_of(value: u32, size: u32, lane: Lane) -> u32 {
    var count = 0u;
    for (var i = 0u; i < TABLES; i = i + 1u) {
        count = count + take(i * BINS + value);
    }
    return count - select(0u, TILE - size, value == BINS - 1u);
}

/// Where each key goes in the tile; `start` is where the keys of the lane's own value do.
fn place_tile(keys: Keys, ranks: Words, start: u32, first: u32, size: u32, lane: Lane) -> Words {
    let value = place_of(lane);
    var next = start;
    for (var i = 0u; i < TABLES; i = i + 1u) {
        let count = take(i * BINS + value);
        put(i * BINS + value, next);
        next = next + count;
    }
    workgroupBarrier();
    let places = place_each(keys, ranks, table_of(lane), first, size, lane.width);
    workgroupBarrier();
    return places;
}
