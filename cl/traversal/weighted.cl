// traversal/weighted.cl: weighted shortest paths from several sources side by side, by label correction in order of distance
// (near and far piles: Davidson, Baxter, Garland, Owens: Work-Efficient Parallel GPU Methods for Single-Source Shortest
// Paths, IPDPS 2014; after the delta-stepping of Meyer, Sanders: J. Algorithms 49, 2003).
//
// A place x = lane * n + v is vertex v of the search from source number `lane`. Distances are the least over all paths of
// the sums of weights, added up from the source on. Rounded addition is monotone, so that any order of relaxations ends at
// the same bits: queues may be in any order, and bounds decide only how often a place is taken up.
//
// A bound at a time: first only arcs to heads below the bound are followed, round after round, until these places are
// settled; the heads of all other arcs are told once, with final distances. Where few arcs are left, the places that are not
// settled collect from those that are instead (gather), as Chakaravarthy et al. do: Scalable Single Source Shortest Path
// Algorithms for Massively Parallel Systems, IPDPS 2014. An arc whose head does not count is passed over by its weight,
// which is read in a row: only distances are read all over memory.
//
// distance     WORD[lanes * n]   bits of a VALUE >= 0, which are ordered as its values are; UNREACHED where no path is known
// weight       VALUE[arcs]       NULL: every arc weighs 1
// near, next   int[lanes * n]    places of this round and the next whose distance fell below the bound
// far, rest    int[lanes * n]    places whose distance fell, but not below the bound
// settled      int[lanes * n]    places that were taken up below this bound
// stamp        uint[lanes * n]   the last round in which the place was put into `next`: each is there once; far_stamp: the
//                                last bound at which it was put into `far`; settled_stamp: into `settled`. Stamps need no
//                                clearing between launches
// state        uint[]            without TEAM by round modulo 3 the length of `next`; from FAR on, by bound modulo 3, the length of `far`,
//                                the complement of its smallest KEY, the length of `settled`, and its arcs (in units of
//                                2^shift). Who uses one area clears the next one
//
// A float64 distance needs 64-bit atomics to be lowered in place. Without them (LISTED) a round takes three launches: list
// the heads that can be reached sooner, pull their new distances from their rows, write these.
//
// On GPUs (TEAM) nobody waits for a round: the host launches push and split in turn, and they find in device memory what there
// is to do. All arcs of a place are followed at once. Lists of places to push have entries of two numbers, a place and a span
// of CHUNK of its arcs, so that no group has a hub to itself.
//
// control      WORD[2 * 4]       TEAM: by round modulo 2 the number of the bound, the entries pushed below it, delta, the bound
//
// launch       push, list, pull, apply, split: a work-item takes ENTRIES places; TEAM: as many groups as the device runs at
//              once share them. fill, gather, zero_begin, values: ITEMS places
// tunables     ENTRIES, ITEMS, BUFFER (places that a work-item collects before it reserves room for them), RUN; TEAM: LOCAL,
//              CHUNK, QUEUE (places that a group collects before it reserves room for them)

#ifndef VALUE
#define VALUE uint
#define WORD uint
#define UNREACHED 0xffffffffu
#endif
#ifndef ENTRIES
#define ENTRIES 16
#endif
#ifndef BUFFER
#define BUFFER 32
#endif
#ifndef LOCAL
#define LOCAL 64
#endif
#ifndef CHUNK
#define CHUNK 128
#endif
#ifndef QUEUE
#define QUEUE 512
#endif
#define FAR 4
#define SIEVE 16

#include "csr/arcs.h"

#define VALUE_OF(word) PASTE(as_, VALUE)(word)
#define WORD_OF(value) PASTE(as_, WORD)(value)
#ifdef WIDE
#define KEY_OF(word) ((uint)((word) >> 32))
#else
#define KEY_OF(word) (word)
#endif

#if !defined(WIDE)
#define LOAD(p) SHARED_LOAD(p)
#define STORE(p, word) SHARED_STORE(p, word)
#define LOWER(p, word) atomic_min(p, word)
#elif defined(HAVE_INT64_ATOMICS)
// Devices with 64-bit atomics read and write aligned words of 64 bits whole.
#ifdef CHECK_RACES
#define LOAD(p) atom_or(p, 0ul)
#define STORE(p, word) ((void)atom_xchg(p, word))
#else
#define LOAD(p) (*(volatile __global WORD *)(p))
#define STORE(p, word) ((void)(*(volatile __global WORD *)(p) = (word)))
#endif
#define LOWER(p, word) atom_min(p, word)
#endif

#ifdef MANY
#define VERTEX(x) ((x) % n)
#else
#define VERTEX(x) (x)
#endif

// for (each index i < count of this work-item, which takes ENTRIES)
#define FOR_ENTRIES(i, count)                                                   \
    for (int i = (int)min((long)get_global_id(0) * ENTRIES, (long)(count)),     \
             i##_bound = (int)min((long)i + ENTRIES, (long)(count));            \
         i < i##_bound; ++i)

#define WEIGHT(e) (weight ? weight[e] : (VALUE)1)

// Places that a work-item has found for a list, with room reserved for BUFFER of them at once.
typedef struct {
    int place[BUFFER];
    uint count;
} Found;

static inline void put_out(Found *found, __global int *restrict list, volatile __global uint *length)
{
    if (found->count) {
        const uint at = atomic_add(length, found->count);
        for (uint i = 0; i < found->count; i++)
            list[at + i] = found->place[i];
        found->count = 0;
    }
}

static inline void put(Found *found, const int x, __global int *restrict list, volatile __global uint *length)
{
    if (found->count == BUFFER)
        put_out(found, list, length);
    found->place[found->count++] = x;
}

__kernel void weighted_fill(const int places, __global WORD *restrict distance, __global uint *restrict stamp,
                            __global uint *restrict far_stamp, __global uint *restrict settled_stamp)
{
    FOR_ITEMS(x, places) {
        distance[x] = UNREACHED;
        stamp[x] = 0;
        far_stamp[x] = 0;
        if (settled_stamp)
            settled_stamp[x] = 0;
    }
}

#define NEXT_LENGTH (&state[round % 3])

#ifndef TEAM

__kernel void weighted_sources(const int lanes, const int n, __global const int *restrict source,
                               __global WORD *restrict distance, __global int *restrict near)
{
    const int lane = (int)get_global_id(0);
    if (lane < lanes) {
        const int x = lane * n + source[lane];
        distance[x] = 0;
        near[lane] = x;
    }
}

#define STATE_ARGUMENTS \
    const int count, const int n, const uint round, const uint phase, const WORD bound, const WORD limit, \
    __global const int *restrict near, __global int *restrict next, __global int *restrict far, \
    volatile __global uint *stamp, volatile __global uint *far_stamp, volatile __global uint *state
#define AREA(phase) (FAR + 4 * ((phase) % 3))
#define FAR_LENGTH (&state[AREA(phase)])
#define FAR_LEAST (&state[AREA(phase) + 1])
#define SETTLED_LENGTH (&state[AREA(phase) + 2])
#define SETTLED_ARCS (&state[AREA(phase) + 3])

// What a push takes besides. beyond 0: only arcs to heads below the bound; 1: only the others, from settled places.
#define PUSH_ARGUMENTS \
    const uint beyond, const uint shift, __global int *restrict settled, __global uint *restrict settled_stamp, \
    __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx, __global const VALUE *restrict weight

// Notes a place that is taken up; it is in the list of a launch once, so that nobody else looks at its stamp.
#define SETTLE(x, v)                                                      \
    do {                                                                  \
        if (!beyond && settled_stamp[x] != phase) {                       \
            settled_stamp[x] = phase;                                     \
            arcs += (uint)(row_ptr[(v) + 1] - row_ptr[v] + (1 << shift) - 1 >> shift); \
            put(&taken, (x), settled, SETTLED_LENGTH);                    \
        }                                                                 \
    } while (0)
#define SETTLE_OUT()                                                      \
    do {                                                                  \
        put_out(&taken, settled, SETTLED_LENGTH);                         \
        if (arcs)                                                         \
            atomic_add(SETTLED_ARCS, arcs);                               \
    } while (0)

// Each list once: whoever sets the stamp puts the place in. (A place that is improved later in the same launch is in it.)
#define PUT_ONCE(x, word)                                                 \
    do {                                                                  \
        if ((word) < bound) {                                             \
            if (atomic_xchg(&stamp[x], round) != round)                   \
                put(&found, (x), next, NEXT_LENGTH);                      \
        } else {                                                          \
            least = min(least, KEY_OF(word));                             \
            if (atomic_xchg(&far_stamp[x], phase) != phase)               \
                put(&later, (x), far, FAR_LENGTH);                        \
        }                                                                 \
    } while (0)
#define PUT_OUT()                                                         \
    do {                                                                  \
        put_out(&found, next, NEXT_LENGTH);                               \
        put_out(&later, far, FAR_LENGTH);                                 \
        if (least != UINT_MAX)                                            \
            atomic_max(FAR_LEAST, ~least);                                \
        if (get_global_id(0) == 0)                                        \
            (void)atomic_xchg(&state[(round + 1) % 3], 0u);               \
    } while (0)

#ifndef LISTED

// Rows of a list's places lie far apart: a CPU's cores are told some places before what they are going to read. (R-MAT 20, a
// grid, uniform edges, a Xeon: 0.94, 0.89 and 0.79 of the time.)
#ifdef HAVE_PREFETCH
#define SOON_ROWS(list, i)                                                \
    do {                                                                  \
        if ((i) + 8 < count)                                              \
            PREFETCH(&row_ptr[VERTEX((list)[(i) + 8])]);                  \
        if ((i) + 4 < count) {                                            \
            const OFFSET soon_ = row_ptr[VERTEX((list)[(i) + 4])];        \
            PREFETCH(&col_idx[soon_]);                                    \
            if (weight)                                                   \
                PREFETCH(&weight[soon_]);                                 \
        }                                                                 \
    } while (0)
#else
#define SOON_ROWS(list, i)
#endif

// Whether an arc leads to the side of the bound that counts.
#define COUNTS(from_value, by) ((WORD_OF((VALUE)((from_value) + (by))) >= bound) == beyond)

// Follows an arc that counts. Stale distances are too large: an improvement that another work-item has beaten is dropped by
// LOWER, and whoever lowers a distance puts its place into a list, to be taken up again.
#define RELAX(e, from_base, from_value)                                   \
    do {                                                                  \
        const int y_ = (from_base) + col_idx[e];                          \
        const WORD word_ = WORD_OF((VALUE)((from_value) + WEIGHT(e)));    \
        if (word_ <= limit && word_ < LOAD(&distance[y_]) && word_ < LOWER(&distance[y_], word_)) \
            PUT_ONCE(y_, word_);                                          \
    } while (0)

// One arc in ten counts: a CPU compares the weights of SIEVE arcs at once, without a branch that it would have to guess. (8, 16
// and 32 at once are within 3 %.)
__kernel void weighted_push(STATE_ARGUMENTS, PUSH_ARGUMENTS, volatile __global WORD *distance)
{
    Found found, later, taken;
    uint least = UINT_MAX, arcs = 0;
    found.count = later.count = taken.count = 0;
    FOR_ENTRIES(i, count) {
        const int x = near[i], v = VERTEX(x), base = x - v;
        const VALUE reached = VALUE_OF(LOAD(&distance[x]));
        const OFFSET end = row_ptr[v + 1];
        OFFSET e = row_ptr[v];
        SOON_ROWS(near, i);
        SETTLE(x, v);
        for (; weight && end - e >= SIEVE; e += SIEVE) {
            uint counting = 0;
            for (int k = 0; k < SIEVE; k++)
                counting |= (uint)COUNTS(reached, weight[e + k]) << k;
            for (; counting; counting &= counting - 1)
                RELAX(e + (31 - clz(counting & -counting)), base, reached);
        }
        for (; e < end; e++)
            if (COUNTS(reached, WEIGHT(e)))
                RELAX(e, base, reached);
    }
    SETTLE_OUT();
    PUT_OUT();
}

// Places that are not settled collect from all that are. Those of earlier bounds have told them already: an arc counts only
// if the smallest distance that is new, `low`, would. Nobody else writes to a place; what others lower meanwhile was and
// stays beyond the bound, so that a stale distance is passed over just the same.
__kernel void weighted_gather(STATE_ARGUMENTS, const int places, const WORD low, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global const VALUE *restrict weight,
                              volatile __global WORD *distance)
{
    Found found, later;
    uint least = UINT_MAX;
    found.count = later.count = 0;
    FOR_ITEMS(x, places) {
        const WORD own = LOAD(&distance[x]);
        if (own < bound)
            continue;
        const int v = VERTEX(x), base = x - v;
        WORD best = own;
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
            if (WORD_OF((VALUE)(VALUE_OF(low) + WEIGHT(e))) >= best)
                continue;
            const WORD from = LOAD(&distance[base + col_idx[e]]);
            if (from < bound) {
                const WORD word = WORD_OF((VALUE)(VALUE_OF(from) + WEIGHT(e)));
                best = word <= limit ? min(best, word) : best;
            }
        }
        if (best < own) {
            STORE(&distance[x], best);
            PUT_ONCE(x, best);
        }
    }
    PUT_OUT();
}

#else

// The heads that some place of this round reaches sooner than they are reached now, each once, in `next`.
__kernel void weighted_list(STATE_ARGUMENTS, PUSH_ARGUMENTS, __global const WORD *restrict distance)
{
    Found found, taken;
    uint arcs = 0;
    found.count = taken.count = 0;
    FOR_ENTRIES(i, count) {
        const int x = near[i], v = VERTEX(x), base = x - v;
        const VALUE reached = VALUE_OF(distance[x]);
        SETTLE(x, v);
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
            const int y = base + col_idx[e];
            const WORD word = WORD_OF((VALUE)(reached + WEIGHT(e)));
            if ((word >= bound) == beyond && word <= limit && word < distance[y] && atomic_xchg(&stamp[y], round) != round)
                put(&found, y, next, NEXT_LENGTH);
        }
    }
    SETTLE_OUT();
    put_out(&found, next, NEXT_LENGTH);
    if (get_global_id(0) == 0)
        (void)atomic_xchg(&state[(round + 1) % 3], 0u);
}

// Their new distances; rows hold the tails of arcs that arrive.
__kernel void weighted_pull(const int count, const int n, const WORD limit, __global const int *restrict near,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const VALUE *restrict weight, __global const WORD *restrict distance,
                            __global WORD *restrict lowered)
{
    FOR_ENTRIES(i, count) {
        const int x = near[i], v = VERTEX(x), base = x - v;
        WORD best = distance[x];
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
            const WORD from = distance[base + col_idx[e]];
            if (from < best) {   // so it is reached, too
                const WORD word = WORD_OF((VALUE)(VALUE_OF(from) + WEIGHT(e)));
                best = word <= limit ? min(best, word) : best;
            }
        }
        lowered[i] = best;
    }
}

__kernel void weighted_apply(STATE_ARGUMENTS, __global const WORD *restrict lowered, __global WORD *restrict distance)
{
    Found found, later;
    uint least = UINT_MAX;
    found.count = later.count = 0;
    FOR_ENTRIES(i, count) {
        const int x = near[i];
        const WORD word = lowered[i];
        distance[x] = word;
        PUT_ONCE(x, word);
    }
    PUT_OUT();
}

#endif

// Goes through the far pile of the last bound, `low`: what was taken up by then is dropped, what is below the new bound is
// for the next round, the rest waits in `rest`. The arguments round and phase are those of the rounds to come.
__kernel void weighted_split(STATE_ARGUMENTS, const WORD low, __global const int *restrict rest,
                             __global const WORD *restrict distance)
{
    Found found, later;
    uint least = UINT_MAX;
    found.count = later.count = 0;
    FOR_ENTRIES(i, count) {
        const int x = rest[i];
        const WORD word = distance[x];
        if (word >= low)
            PUT_ONCE(x, word);
    }
    PUT_OUT();
    if (get_global_id(0) == 0)
        for (uint i = 0; i < 4; i++)
            (void)atomic_xchg(&state[AREA(phase + 1) + i], 0u);
}

#else  // TEAM

// Entries of a place in a list to push.
#define SPANS(v) max(1, (int)((row_ptr[(v) + 1] - row_ptr[v] + CHUNK - 1) / CHUNK))

// Places that a group has found for a list.
typedef struct {
    int place[QUEUE];
    uint count, at;
} Queue;

static inline void put_spans(const int x, const int spans, __global int *list, volatile __global uint *length)
{
    const uint at = atomic_add(length, (uint)spans);
    for (int i = 0; i < spans; i++) {
        list[2 * (at + i)] = x;
        list[2 * (at + i) + 1] = i;
    }
}

static inline void put_next(volatile __local Queue *queue, const int x, const int spans, __global int *list,
                            volatile __global uint *length)
{
    uint i = QUEUE;
    if (spans == 1)
        i = atomic_inc(&queue->count);
    if (i < QUEUE)
        queue->place[i] = x;
    else
        put_spans(x, spans, list, length);
}

static inline void put_far(volatile __local Queue *queue, const int x, __global int *list,
                           volatile __global uint *length)
{
    const uint i = atomic_inc(&queue->count);
    if (i < QUEUE)
        queue->place[i] = x;
    else
        list[atomic_inc(length)] = x;
}

// A group writes its places out if they are more than `many`.
#define TEAM_OUT(queue, many, length, WRITE)                              \
    do {                                                                  \
        barrier(CLK_LOCAL_MEM_FENCE);                                     \
        const uint found_ = min(queue.count, (uint)QUEUE);                \
        barrier(CLK_LOCAL_MEM_FENCE);                                     \
        if (found_ > (many)) {                                            \
            if (lid == 0) {                                               \
                queue.at = atomic_add(length, found_);                    \
                queue.count = 0;                                          \
            }                                                             \
            barrier(CLK_LOCAL_MEM_FENCE);                                 \
            for (uint i_ = lid; i_ < found_; i_ += size) {                \
                const uint at_ = queue.at + i_;                           \
                const int x_ = queue.place[i_];                           \
                WRITE;                                                    \
            }                                                             \
            barrier(CLK_LOCAL_MEM_FENCE);                                 \
        }                                                                 \
    } while (0)
#define OUT(list, from, many, length) \
    TEAM_OUT(found, many, length, list[2 * at_] = x_; list[2 * at_ + 1] = 0); \
    TEAM_OUT(later, many, FAR_LENGTH(from), heap[at_] = x_)

#define PUSHED_LENGTH(round) (&state[(round) % 3])
#define TAKEN_LENGTH(round) (&state[3 + (round) % 3])
#define LEFT (&state[6])
#define FAR_LENGTH(phase) (&state[8 + 2 * ((phase) % 3)])
#define FAR_LEAST(phase) (&state[9 + 2 * ((phase) % 3)])
#define CONTROL(round) (control + 4 * ((round) % 2))

// The sources are a far pile, from which the first split takes them.
__kernel void weighted_sources(const int lanes, const int n, const WORD delta, __global const int *restrict source,
                               __global WORD *restrict distance, __global int *restrict far, __global uint *restrict state,
                               __global WORD *restrict control)
{
    const int lane = (int)get_global_id(0);
    if (lane < lanes) {
        const int x = lane * n + source[lane];
        distance[x] = 0;
        far[lane] = x;
    }
    if (lane == 0) {
        *FAR_LENGTH(0) = lanes;
        *FAR_LEAST(0) = UINT_MAX;
        CONTROL(0)[0] = CONTROL(0)[1] = CONTROL(0)[3] = 0;
        CONTROL(0)[2] = delta;
    }
}

// Follows the arcs of the entries in `near`, which the push before found or the split after it. Stale distances are too
// large: an improvement that another work-item has beaten is dropped by LOWER, and whoever lowers a distance puts its place
// into a list, to be taken up again.
__kernel void weighted_push(const int n, const uint round, const WORD limit, __global const int *restrict near,
                            __global int *restrict next, __global int *restrict far, __global int *restrict rest, volatile __global uint *stamp, volatile __global uint *far_stamp,
                            volatile __global uint *state, __global const WORD *restrict control,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const VALUE *restrict weight, volatile __global WORD *distance)
{
    __local Queue found, later;
    __local OFFSET first[LOCAL];
    __local int base[LOCAL];
    __local WORD reached[LOCAL];
    __local uint ends[LOCAL];
    __local uint smallest;
    const uint lid = get_local_id(0), size = get_local_size(0), groups = get_num_groups(0);
    const uint count = *PUSHED_LENGTH(round - 1) + *TAKEN_LENGTH(round - 1);   // one of both is 0
    const uint phase = (uint)CONTROL(round - 1)[0];
    const WORD bound = CONTROL(round - 1)[3];
    __global int *heap = phase % 2 ? rest : far;
    // few entries are shared by all groups, one each
    const uint each = clamp((count + groups - 1) / groups, 1u, size);
    uint least = UINT_MAX;
    if (lid == 0) {
        found.count = later.count = 0;
        smallest = UINT_MAX;
    }
    for (uint begin = get_group_id(0) * each; begin < count; begin += groups * each) {
        const uint i = begin + lid;
        ends[lid] = 0;
        if (lid < each && i < count) {
            const int x = near[2 * i], v = VERTEX(x);
            first[lid] = row_ptr[v] + (OFFSET)near[2 * i + 1] * CHUNK;
            base[lid] = x - v;
            reached[lid] = LOAD(&distance[x]);
            ends[lid] = (uint)min((OFFSET)CHUNK, row_ptr[v + 1] - first[lid]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint step = 1; step < each; step <<= 1) {
            const uint before = lid >= step ? ends[lid - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            ends[lid] += before;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const uint total = ends[each - 1];
        for (uint a = lid; a < total; a += size) {
            uint low = 0, high = each - 1;   // the entry of arc a: the first that ends after it
            while (low < high) {
                const uint middle = (low + high) / 2;
                if (ends[middle] > a)
                    high = middle;
                else
                    low = middle + 1;
            }
            const OFFSET e = first[low] + (OFFSET)(a - (low ? ends[low - 1] : 0));
            const int w = col_idx[e], y = base[low] + w;
            const WORD word = WORD_OF((VALUE)(VALUE_OF(reached[low]) + WEIGHT(e)));
            if (word > limit || word >= LOAD(&distance[y]) || word >= LOWER(&distance[y], word))
                continue;
            if (word >= bound) {
                least = min(least, KEY_OF(word));
                if (atomic_xchg(&far_stamp[y], phase) != phase)
                    put_far(&later, y, heap, FAR_LENGTH(phase));
            } else if (atomic_xchg(&stamp[y], round) != round)
                put_next(&found, y, SPANS(w), next, PUSHED_LENGTH(round));
        }
        OUT(next, phase, QUEUE / 2, PUSHED_LENGTH(round));
    }
    OUT(next, phase, 0, PUSHED_LENGTH(round));
    if (least != UINT_MAX)
        atomic_min(&smallest, least);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0 && smallest != UINT_MAX)
        atomic_max(FAR_LEAST(phase), ~smallest);
    if (get_global_id(0) == 0) {
        (void)atomic_xchg(PUSHED_LENGTH(round + 1), 0u);
        (void)atomic_xchg(TAKEN_LENGTH(round + 1), 0u);
    }
}

// The first word beyond all of this key and all less than delta away.
static inline WORD bound_after(const uint key, const WORD delta)
{
#ifdef WIDE
    const WORD base = (WORD)key << 32, least = min(((WORD)key + 1) << 32, UNREACHED);
#else
    const WORD base = key, least = min(key + 1, UNREACHED);
#endif
#ifdef WHOLE
    return max(least, base + min(delta, UNREACHED - base));
#else
    return max(least, WORD_OF((VALUE)(VALUE_OF(base) + VALUE_OF(delta))));
#endif
}

static inline WORD twice(const WORD delta)
{
#ifdef WHOLE
    return delta < UNREACHED / 2 ? 2 * delta : delta;
#else
    return WORD_OF((VALUE)(2 * VALUE_OF(delta)));
#endif
}

// If nothing is left to push, sets the next bound and goes through the far pile of the last one: what was taken up by then
// is dropped, what is below the new bound goes into `next`, which is empty; the rest goes to the other pile. All work-items
// decide so from the same numbers. few: bounds that have fewer entries than this are too narrow; 0: delta stays.
__kernel void weighted_split(const int n, const uint round, const uint few, __global int *restrict next,
                             __global int *restrict far, __global int *restrict rest, __global uint *restrict far_stamp,
                             volatile __global uint *state, __global WORD *restrict control,
                             __global const OFFSET *restrict row_ptr, __global const WORD *restrict distance)
{
    __local Queue found, later;
    __local uint smallest;
    const uint lid = get_local_id(0), size = get_local_size(0);
    const uint before = (uint)CONTROL(round - 1)[0], count = *FAR_LENGTH(before), on = *PUSHED_LENGTH(round);
    const uint pushed = (uint)CONTROL(round - 1)[1] + *PUSHED_LENGTH(round - 1) + *TAKEN_LENGTH(round - 1);
    const WORD low = CONTROL(round - 1)[3];
    const bool turns = !on && count;
    const uint phase = before + turns;
    WORD bound = low, delta = CONTROL(round - 1)[2];
    if (turns) {
        if (before && pushed < few)
            delta = twice(delta);
        bound = bound_after(~*FAR_LEAST(before), delta);
    }
    __global const int *pile = before % 2 ? rest : far;
    __global int *heap = phase % 2 ? rest : far;
    uint least = UINT_MAX;
    if (lid == 0) {
        found.count = later.count = 0;
        smallest = UINT_MAX;
    }
    for (uint begin = get_group_id(0) * size; turns && begin < count; begin += (uint)get_global_size(0)) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (begin + lid < count) {
            const int x = pile[begin + lid];
            const WORD word = distance[x];
            if (word >= bound) {
                least = min(least, KEY_OF(word));
                far_stamp[x] = phase;   // it is in a pile once: nobody else looks at this now
                put_far(&later, x, heap, FAR_LENGTH(phase));
            } else if (word >= low)
                put_next(&found, x, SPANS(VERTEX(x)), next, TAKEN_LENGTH(round));
        }
        OUT(next, phase, QUEUE / 2, TAKEN_LENGTH(round));
    }
    OUT(next, phase, 0, TAKEN_LENGTH(round));
    if (least != UINT_MAX)
        atomic_min(&smallest, least);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0 && smallest != UINT_MAX)
        atomic_max(FAR_LEAST(phase), ~smallest);
    if (get_global_id(0) == 0) {
        (void)atomic_xchg(LEFT, (uint)(on || count));
        if (turns) {
            (void)atomic_xchg(FAR_LENGTH(phase + 1), 0u);
            (void)atomic_xchg(FAR_LEAST(phase + 1), 0u);
        }
        CONTROL(round)[0] = phase;
        CONTROL(round)[1] = turns ? 0 : pushed;
        CONTROL(round)[2] = delta;
        CONTROL(round)[3] = bound;
    }
}

#endif  // TEAM

// --- predecessors, of one lane at a time: distance and source are that lane's ------------------------------------------

// The smallest vertex u with d(u) < d(v) and d(u) + w = d(v); `before` holds the largest uint where there is none. Rows hold
// the tails of arcs that arrive, ascending.
__kernel void weighted_before(const int n, const long arcs, const int base, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global const VALUE *restrict weight,
                              __global const WORD *restrict distance, volatile __global uint *before)
{
    FOR_ROW_PARTS(v, p, stop, n, arcs) {
        const WORD own = distance[base + v];
        for (long e = p; own != UNREACHED && own && e < stop; e++) {
            const WORD from = distance[base + col_idx[e]];
            if (from < own && WORD_OF((VALUE)(VALUE_OF(from) + WEIGHT(e))) == own) {
#if RUN
                atomic_min(&before[v], (uint)col_idx[e]);   // the parts of a long row belong to several work-items
#else
                before[v] = (uint)col_idx[e];
#endif
                break;
            }
        }
    }
}

// The first vertex that is not reached, but has an arc from one that is: without a cutoff, where a sum overflows.
__kernel void weighted_overflow(const int n, const long arcs, const int base, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const WORD *restrict distance,
                                volatile __global uint *first)
{
    FOR_ROW_PARTS(v, p, stop, n, arcs)
        for (long e = p; distance[base + v] == UNREACHED && e < stop; e++)
            if (distance[base + col_idx[e]] != UNREACHED) {
                atomic_min(first, (uint)(v));
                break;
            }
}

// Vertices that were reached and have no predecessor yet get the stamp 0; the others (and the source) make the first list.
// state[0]: its length; state[2]: how many have none.
__kernel void weighted_zero_begin(const int n, const int base, const int source, __global const WORD *restrict distance,
                                  __global const uint *restrict before, __global uint *restrict stamp,
                                  __global int *restrict next, volatile __global uint *state)
{
    Found found;
    uint none = 0;
    found.count = 0;
    FOR_ITEMS(v, n) {
        const int reached = distance[base + v] != UNREACHED, done = before[v] != UINT_MAX || v == source;
        stamp[v] = reached && !done ? 0 : UINT_MAX;
        none += reached && !done;
        if (reached && done)
            put(&found, v, next, &state[0]);
    }
    put_out(&found, next, &state[0]);
    if (none)
        atomic_add(&state[3], none);
}

// A level of the search over arcs that add nothing: d(u) + w = d(v) = d(u). The smallest u of the level before counts.
__kernel void weighted_zero_push(const int count, const int base, const uint round, __global const int *restrict near,
                                 __global int *restrict next, __global const OFFSET *restrict row_ptr,
                                 __global const int *restrict col_idx, __global const VALUE *restrict weight,
                                 __global const WORD *restrict distance, volatile __global uint *stamp,
                                 volatile __global uint *before, volatile __global uint *state)
{
    Found found;
    found.count = 0;
    FOR_ENTRIES(i, count) {
        const int u = near[i];
        const WORD own = distance[base + u];
        for (OFFSET e = row_ptr[u]; e < row_ptr[u + 1]; e++) {
            const int v = col_idx[e];
            if (distance[base + v] == own && WORD_OF((VALUE)(VALUE_OF(own) + WEIGHT(e))) == own) {
                const uint was = atomic_cmpxchg(&stamp[v], 0u, round);
                if (was == 0)
                    put(&found, v, next, NEXT_LENGTH);
                if (was == 0 || was == round)
                    atomic_min(&before[v], (uint)u);
            }
        }
    }
    put_out(&found, next, NEXT_LENGTH);
    if (get_global_id(0) == 0)
        (void)atomic_xchg(&state[(round + 1) % 3], 0u);
}

// --- sums -------------------------------------------------------------------------------------------------------------

// Sums of the distances of a lane (dimension 1), SPAN at a time in their order, and how many there are.
#ifdef SUM
__kernel void weighted_sums(const int n, const int spans, const int span, __global const WORD *restrict distance,
                            __global SUM *restrict sum, __global uint *restrict reached)
{
    const int part = (int)get_global_id(0), lane = (int)get_global_id(1);
    if (part < spans) {
        SUM total = 0;
        uint many = 0;
        for (int v = part * span, end = min(n, v + span); v < end; v++) {
            const WORD word = distance[(size_t)lane * n + v];
            if (word != UNREACHED) {
                total += VALUE_OF(word);
                many++;
            }
        }
        sum[(size_t)lane * spans + part] = total;
        reached[(size_t)lane * spans + part] = many;
    }
}
#endif

// --- results ----------------------------------------------------------------------------------------------------------

#ifdef RESULT
// The bits of a distance as a floating-point number of the result's size; those of whole numbers are put together from
// their own, so that no device needs float64 for them.
static inline RESULT result_of(const WORD word)
{
#ifndef WHOLE
    return word;
#else
    const int top = 31 - (int)clz(word);
#ifdef WIDE_RESULT
    if (word == UNREACHED) return 0x7FF0000000000000ul;
    if (word == 0) return 0;
    return (ulong)(1023 + top) << 52 | ((ulong)word << (52 - top) & 0xFFFFFFFFFFFFFul);
#else
    if (word == UNREACHED) return 0x7F800000u;
    return as_uint((float)word);
#endif
#endif
}

// result[base ...] = the distances of a batch; reached[] = how many of a work-item's there are.
__kernel void weighted_results(const int places, const ulong base, const int parts, __global const WORD *restrict distance,
                               __global RESULT *restrict result, __global uint *restrict reached)
{
    const int part = (int)get_global_id(0);
    uint many = 0;
    FOR_ITEMS(x, places) {
        const WORD word = distance[x];
        many += word != UNREACHED;
        result[base + x] = result_of(word);
    }
    if (part < parts)
        reached[part] = many;
}
#endif
