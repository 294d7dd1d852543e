// A tile ranked by subgroups of any power-of-two width: each owns a contiguous run of keys and walks through
// it in steps of one key a lane. In a step the lanes of one digit find each other by ballots, and their first
// one takes places for all of them in the subgroup's own table of counts.
/// Tables of counts that there is room for: two vectors of four. Subgroups beyond as many share them and take turns, in order.
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

fn turns_of(width: u32) -> u32 {
    return max(1u, LANES / width / TABLES);
}

fn table_of(lane: Lane) -> u32 {
    return lane.subgroup / turns_of(lane.width) * BINS;
}

/// What a lane knows of those with the same digit: their first one, how many precede it, how many there are.
struct Peers {
    leader: u32,
    before: u32,
    count: u32,
}

/// Which lanes of a subgroup of up to 32 have the same lowest bit.
fn agreeing(digit: u32) -> u32 {
    let mine = (digit & 1u) != 0u;
    let votes = subgroupBallot(mine).x;
    return select(~votes, votes, mine);
}

/// `width` is that of subgroups, proven to be the same for all lanes: ballots hang on it.
fn peers_of(digit: u32, width: u32, lane: Lane) -> Peers {
    if width <= 32u {
        let mask = subgroupBallot(true).x
            & agreeing(digit) & agreeing(digit >> 1u) & agreeing(digit >> 2u) & agreeing(digit >> 3u)
            & agreeing(digit >> 4u) & agreeing(digit >> 5u) & agreeing(digit >> 6u) & agreeing(digit >> 7u);
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
fn rank_key(digit: u32, known: u32, mine: bool, width: u32, lane: Lane) -> u32 {
    let peers = peers_of(digit, width, lane);
    var base = 0u;
    if mine && peers.before == 0u {
        base = atomicAdd(&words[table_of(lane) + digit], peers.count);
    }
    let rank = subgroupShuffle(base, peers.leader) + peers.before;
    return select(known, rank, mine);
}

fn clear_tables(lane: u32) {
    put(lane, 0u);
    put(LANES + lane, 0u);
    put(2u * LANES + lane, 0u);
    put(3u * LANES + lane, 0u);
    put(4u * LANES + lane, 0u);
    put(5u * LANES + lane, 0u);
    put(6u * LANES + lane, 0u);
    put(7u * LANES + lane, 0u);
}

fn rank_tile(keys: Keys, first: u32, size: u32, lane: Lane) -> Words {
    clear_tables(lane.index);
    workgroupBarrier();
    var ranks: Words;
    let width = subgroup_width(lane);
    // Bounded by a parameter as well: compilers that know the width would write out all turns.
    let turns = min(turns_of(width), params.tiles * LANES);
    for (var turn = 0u; turn < turns; turn = turn + 1u) {
        ranks = rank_each(keys, ranks, lane.subgroup % turns == turn, first, size, width, lane);
        workgroupBarrier();
    }
    return ranks;
}

/// What all tables have counted of a value.
fn counts_of(value: u32) -> array<vec4<u32>, 2> {
    return array(
        vec4(take(value), take(BINS + value), take(2u * BINS + value), take(3u * BINS + value)),
        vec4(take(4u * BINS + value), take(5u * BINS + value), take(6u * BINS + value), take(7u * BINS + value)),
    );
}

/// Keys of the tile that have this value. Places that no key fills count as the highest value.
fn count_of(value: u32, size: u32, lane: Lane) -> u32 {
    let counts = counts_of(value);
    let sums = counts[0] + counts[1];
    let count = sums.x + sums.y + sums.z + sums.w;
    return count - select(0u, TILE - size, value == BINS - 1u);
}

/// Where each key goes in the tile; `start` is where the keys of the lane's own value do.
fn place_tile(keys: Keys, ranks: Words, start: u32, first: u32, size: u32, lane: Lane) -> Words {
    let value = place_of(lane);
    let counts = counts_of(value);
    let half = start + counts[0].x + counts[0].y + counts[0].z + counts[0].w;
    put(value, start);
    put(BINS + value, start + counts[0].x);
    put(2u * BINS + value, start + counts[0].x + counts[0].y);
    put(3u * BINS + value, start + counts[0].x + counts[0].y + counts[0].z);
    put(4u * BINS + value, half);
    put(5u * BINS + value, half + counts[1].x);
    put(6u * BINS + value, half + counts[1].x + counts[1].y);
    put(7u * BINS + value, half + counts[1].x + counts[1].y + counts[1].z);
    workgroupBarrier();
    let places = place_each(keys, ranks, table_of(lane), first, size, lane.width);
    workgroupBarrier();
    return places;
}
