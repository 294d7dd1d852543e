// Faults to order, for tests: tiles that publish nothing, or late, or are not claimed in their order.
fn tile_of_ticket(i: u32) -> u32 {
    // Eight at a time from the last to the first.
    if params.fault == 6u && (i | 7u) < params.tiles {
        return i ^ 7u;
    }
    return i;
}

fn publishes(tile: u32) -> bool {
    switch params.fault {
        case 1u: {
            return tile % 2u == 1u;
        }
        case 2u: {
            return tile % 7u != 3u;
        }
        case 3u: {
            return tile / TILES_PER_BLOCK != 0u;
        }
        case 4u: {
            return tile != 0u;
        }
        case 5u: {
            // Long after the others have lost patience.
            var seen = 0u;
            for (var i = 0u; i < 20u * params.patience * (tile % 3u); i = i + 1u) {
                seen = max(seen, atomicLoad(&states[0]));
            }
            return seen < NONE;
        }
        default: {
            return true;
        }
    }
}

/// Whether a tile is counted before it publishes anything.
fn counts_early(tile: u32) -> bool {
    return params.fault == 5u;
}
