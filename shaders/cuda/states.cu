// What blocks of one grid tell each other while they run. An entry is there when its flag is the grid's epoch, a
// number that no other grid on this memory had, so nothing is cleared in between. Values of one or two words
// travel in the same access as their flag; behind wider ones the flag is released, and acquired before them.
//
// The header counts tickets beside the epoch, so that claiming a tile reads both. Whoever takes the last ticket of a
// grid begins the next epoch. It also empties one entry that this grid does not use, another in each epoch: so no
// entry keeps an epoch until the number comes round again.
constexpr u32 HEADER_BYTES = 128;
constexpr u32 STATE_WORDS = WORDS == 1 ? 2 : WORDS == 2 ? 4 : (WORDS + 4) / 4 * 4;

struct States {
    char* memory;
    u32 epoch;
};

struct Claim {
    u32 tile;
    u32 epoch;
};

__device__ u32* entry_at(States states, u32 entry) {
    return (u32*)(states.memory + HEADER_BYTES) + (u64)entry * STATE_WORDS;
}

__device__ void publish(States states, u32 entry, T value) {
    u32* at = entry_at(states, entry);
    Words words;
    words.value = value;
    if constexpr (WORDS == 1) {
        u64 bits = (u64)states.epoch << 32 | words.word[0];
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(bits) : "memory");
    } else if constexpr (WORDS == 2) {
        u64 bits = (u64)words.word[1] << 32 | words.word[0];
        asm volatile(
            "{ .reg .b128 both; mov.b128 both, {%1, %2}; st.relaxed.gpu.global.b128 [%0], both; }" ::"l"(at),
            "l"(bits), "l"((u64)states.epoch)
            : "memory");
    } else {
#pragma unroll
        for (u32 i = 0; i < WORDS; ++i) {
            asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at + 1 + i), "r"(words.word[i]) : "memory");
        }
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(states.epoch) : "memory");
    }
}

/// Whether the entry is there; `value` is its value then.
__device__ bool peek(States states, u32 entry, T* value) {
    const u32* at = entry_at(states, entry);
    Words words;
    u32 flag;
    if constexpr (WORDS == 1) {
        u64 bits;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(at) : "memory");
        words.word[0] = (u32)bits;
        flag = (u32)(bits >> 32);
    } else if constexpr (WORDS == 2) {
        u64 bits, upper;
        asm volatile(
            "{ .reg .b128 both; ld.relaxed.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"
            : "=l"(bits), "=l"(upper)
            : "l"(at)
            : "memory");
        words.word[0] = (u32)bits;
        words.word[1] = (u32)(bits >> 32);
        flag = (u32)upper;
    } else {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(flag) : "l"(at) : "memory");
#pragma unroll
        for (u32 i = 0; i < WORDS; ++i) {
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(words.word[i]) : "l"(at + 1 + i) : "memory");
        }
    }
    *value = words.value;
    return flag == states.epoch;
}

/// Tickets that were asked for; nobody has waited for the answer yet.
struct Ticket {
    u64 first;
    u32 count;
};

__device__ Ticket take_tickets(char* memory, u32 count) {
    Ticket ticket = {0, count};
    if (count > 0) {
        ticket.first = atomicAdd((u64*)memory, (u64)count);
    }
    return ticket;
}

/// What the tickets are for, the first of them. `all` are taken in this grid, `used` entries are in use.
__device__ Claim use_ticket(Ticket ticket, char* memory, u32 all, u32 used) {
    Claim claim = {(u32)ticket.first, (u32)(ticket.first >> 32)};
    if (claim.tile + ticket.count == all) {
        u32 capacity = ((const u32*)memory)[2];
        u32 next = claim.epoch + 1 == 0 ? 1 : claim.epoch + 1;
        u32 stale = claim.epoch % capacity;
        if (stale >= used) {
            // No epoch is 0.
            States states = {memory, 0};
            publish(states, stale, T());
        }
        *(u64*)memory = (u64)next << 32;
    }
    return claim;
}
