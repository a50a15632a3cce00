// traversal/weighted.cl: weighted shortest paths from several sources side by side, by label correction in order of distance
// (near and far piles: Davidson, Baxter, Garland, Owens: Work-Efficient Parallel GPU Methods for Single-Source Shortest
// Paths, IPDPS 2014; after the delta-stepping of Meyer, Sanders: J. Algorithms 49, 2003).
//
// A place x = lane * n + v is vertex v of the search from source number `lane`. Distances are the least over all paths of
// the sums of weights, added up from the source on. Rounded addition is monotone, so that any order of relaxations ends at
// the same bits: queues may be in any order, and bounds decide only how often a place is taken up.
//
// distance     WORD[lanes * n]   bits of a VALUE >= 0, which are ordered as its values are; UNREACHED where no path is known
// weight       VALUE[arcs]       NULL: every arc weighs 1
// near, next   int[lanes * n]    places of this round and the next whose distance fell below the bound
// far, rest    int[lanes * n]    places whose distance fell, but not below the bound
// stamp        uint[lanes * n]   the last round in which the place was put into `next`: each is there once; far_stamp: the
//                                last bound at which it was put into `far`. Stamps need no clearing between launches
// state        uint[]            by round modulo 3 the length of `next`; from FAR on, by bound modulo 3, the length of `far`
//                                and the complement of its smallest KEY. Who uses one area clears the next one
//
// A float64 distance needs 64-bit atomics to be lowered in place. Without them (LISTED) a round takes three launches: list
// the heads that can be reached sooner, pull their new distances from their rows, write these.
//
// launch       push, list, pull, apply, split: a work-item takes ENTRIES places; TEAM: a group takes LOCAL of them, and walks
//              the arcs of all together. fill, zero_begin: ITEMS places
// tunables     ENTRIES, ITEMS, BUFFER (places that a work-item collects before it reserves room for them), TEAM, LOCAL, RUN

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
#define FAR 4

#include "csr/arcs.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define VALUE_OF(word) PASTE(as_, VALUE)(word)
#define WORD_OF(value) PASTE(as_, WORD)(value)
#ifdef WIDE
#define KEY_OF(word) ((uint)((word) >> 32))
#else
#define KEY_OF(word) (word)
#endif

#if !defined(WIDE)
#define LOAD(p) SHARED_LOAD(p)
#define LOWER(p, word) atomic_min(p, word)
#elif defined(HAVE_INT64_ATOMICS)
// Devices with 64-bit atomics read and write aligned words of 64 bits whole.
#ifdef CHECK_RACES
#define LOAD(p) atom_or(p, 0ul)
#else
#define LOAD(p) (*(volatile __global WORD *)(p))
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
                            __global uint *restrict far_stamp)
{
    FOR_ITEMS(x, places) {
        distance[x] = UNREACHED;
        stamp[x] = 0;
        far_stamp[x] = 0;
    }
}

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
#define NEXT_LENGTH (&state[round % 3])
#define FAR_LENGTH (&state[FAR + 2 * (phase % 3)])
#define FAR_LEAST (&state[FAR + 2 * (phase % 3) + 1])

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

// Follows an arc. Stale distances are too large: an improvement that another work-item has beaten is dropped by LOWER, and
// whoever lowers a distance puts its place into a list, to be taken up again.
#define RELAX(e, from_base, from_value)                                   \
    do {                                                                  \
        const int y_ = (from_base) + col_idx[e];                          \
        const WORD word_ = WORD_OF((VALUE)((from_value) + WEIGHT(e)));    \
        if (word_ <= limit && word_ < LOAD(&distance[y_]))                \
            if (word_ < LOWER(&distance[y_], word_))                      \
                PUT_ONCE(y_, word_);                                      \
    } while (0)

__kernel void weighted_push(STATE_ARGUMENTS, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const VALUE *restrict weight, volatile __global WORD *distance)
{
    Found found, later;
    uint least = UINT_MAX;
    found.count = later.count = 0;
#ifdef TEAM
    __local OFFSET first[LOCAL];
    __local int base[LOCAL];
    __local WORD reached[LOCAL];
    __local uint ends[LOCAL];
    const uint lid = get_local_id(0), size = get_local_size(0);
    const int i = (int)(get_group_id(0) * size + lid);
    ends[lid] = 0;
    if (i < count) {
        const int x = near[i], v = VERTEX(x);
        first[lid] = row_ptr[v];
        base[lid] = x - v;
        reached[lid] = LOAD(&distance[x]);
        ends[lid] = (uint)(row_ptr[v + 1] - row_ptr[v]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < size; step <<= 1) {
        const uint before = lid >= step ? ends[lid - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        ends[lid] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint total = ends[size - 1];
    for (uint a = lid; a < total; a += size) {
        uint low = 0, high = size - 1;   // the row of arc a: the first that ends after it
        while (low < high) {
            const uint middle = (low + high) / 2;
            if (ends[middle] > a)
                high = middle;
            else
                low = middle + 1;
        }
        const OFFSET e = first[low] + (a - (low ? ends[low - 1] : 0));
        RELAX(e, base[low], VALUE_OF(reached[low]));
    }
#else
    FOR_ENTRIES(i, count) {
        const int x = near[i], v = VERTEX(x), base = x - v;
        const VALUE reached = VALUE_OF(LOAD(&distance[x]));
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++)
            RELAX(e, base, reached);
    }
#endif
    PUT_OUT();
}

#else

// The heads that some place of this round reaches sooner than they are reached now, each once, in `next`.
__kernel void weighted_list(STATE_ARGUMENTS, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const VALUE *restrict weight, __global const WORD *restrict distance)
{
    Found found;
    found.count = 0;
    FOR_ENTRIES(i, count) {
        const int x = near[i], v = VERTEX(x), base = x - v;
        const VALUE reached = VALUE_OF(distance[x]);
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
            const int y = base + col_idx[e];
            const WORD word = WORD_OF((VALUE)(reached + WEIGHT(e)));
            if (word <= limit && word < distance[y] && atomic_xchg(&stamp[y], round) != round)
                put(&found, y, next, NEXT_LENGTH);
        }
    }
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
    if (get_global_id(0) == 0) {
        (void)atomic_xchg(&state[FAR + 2 * ((phase + 1) % 3)], 0u);
        (void)atomic_xchg(&state[FAR + 2 * ((phase + 1) % 3) + 1], 0u);
    }
}

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
