// communities/propagation.cl: label propagation in rounds (Raghavan, Albert, Kumara, Phys. Rev. E 76, 2007), as LDBC
// Graphalytics defines it (CDLP): in each round every vertex takes the label that most of its neighbours had before, of
// equally many the smallest.
//
// label, next   int[n]      labels before and after a round; before it `next` has those of the round before the last
// list          int[]       vertices by length of row: short ones (up to SHORT arcs), middle, large, long (beyond LARGE)
// times         int[arcs]   how often an arc counts (COUNTED), or NULL
// state         uint[2]     vertices whose label is another one than before the round; than two rounds before
//
// A short row is one work-item's, which compares its labels one by one. Of a middle or large row a work-group counts the
// labels in a hash table in local memory. A long row is cut into chunks of LARGE arcs: each is counted in local memory, too,
// and then added to the row's table in global memory.
//
// before        int[rows + 1]   chunks of the long rows before each
// keys, counts  uint[]          tables of the long rows, SLOTS entries for each of their chunks; a key is NONE until it is
//                               taken. Empty before and after each round
// most, least   uint[rows]      of each long row the largest count, and the smallest label that has it
//
// launch     classes: padded range, RUN vertices for a work-item (csr/arcs.h); short, settle: padded range, ITEMS entries;
//            rows: a work-group for EACH entries of the list; chunk, most, least: a work-group for each chunk
// tunables   SHORT, MIDDLE, LARGE; TABLE: entries in local memory, a power of 2, at least twice the arcs that it is for;
//            EACH; ALONE: work-groups are of one work-item and need no atomics (CPUs)

#include "csr/arcs.h"

#ifndef SHORT
#define SHORT 16
#endif
#ifndef MIDDLE
#define MIDDLE 128
#endif
#ifndef LARGE
#define LARGE 1024
#endif
#ifndef TABLE
#define TABLE (2 * LARGE)
#endif
#ifndef EACH
#define EACH 1
#endif
#define SLOTS (LARGE + LARGE / 2)
#define NONE 0xffffffffu
#ifdef ALONE
#define NEAR __local
#define LANE 0u
#define LANES 1u
#else
#define NEAR volatile __local
#define LANE ((uint)get_local_id(0))
#define LANES ((uint)get_local_size(0))
#endif
#define HASH(label) ((uint)(label) * 2654435769u)   // Knuth's multiplier: the upper bits are well mixed

#ifdef COUNTED
#define TIMES(p) ((uint)times[p])
#else
#define TIMES(p) 1u
#endif

// Gives a vertex its label of this round.
#define SETTLE(v, now)                  \
    do {                                \
        const int now_ = (int)(now);    \
        changed += now_ != label[v];    \
        moved += now_ != next[v];       \
        next[v] = now_;                 \
    } while (0)

static inline void tell(const uint changed, const uint moved, volatile __global uint *state)
{
    if (changed)
        atomic_add(&state[0], changed);
    if (moved)
        atomic_add(&state[1], moved);
}

__kernel void propagation_begin(const int n, __global int *restrict label, __global int *restrict next)
{
    FOR_ITEMS(v, n) {
        label[v] = v;
        next[v] = v;
    }
}

static inline int class_of(const OFFSET arcs)
{
    return arcs > LARGE ? 3 : arcs > MIDDLE ? 2 : arcs > SHORT ? 1 : 0;
}

// How many vertices each class has (list NULL); then the list, place being where the classes begin. Vertices without arcs
// are in none.
__kernel void propagation_classes(const int n, __global const OFFSET *restrict row_ptr, volatile __global int *place,
                                  __global int *restrict list)
{
    int at[4] = {0, 0, 0, 0};
    FOR_RUN(v, n)
        if (row_ptr[v + 1] > row_ptr[v])
            at[class_of(row_ptr[v + 1] - row_ptr[v])]++;
    for (int c = 0; c < 4; c++)
        if (at[c])
            at[c] = atomic_add(&place[c], at[c]);
    if (list)
        FOR_RUN(v, n)
            if (row_ptr[v + 1] > row_ptr[v])
                list[at[class_of(row_ptr[v + 1] - row_ptr[v])]++] = (int)v;
}

__kernel void propagation_short(const int begin, const int count, __global const int *restrict list,
                                __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                __global const int *restrict times, __global const int *restrict label,
                                __global int *restrict next, volatile __global uint *state)
{
    uint changed = 0, moved = 0;
    FOR_ITEMS(i, count) {
        const int v = list[begin + i];
        int kind[SHORT];
        uint sum[SHORT];
        int kinds = 0, best = 0;
        uint most = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int mine = label[col_idx[p]];
            int k = 0;
            while (k < kinds && kind[k] != mine)
                k++;
            if (k == kinds) {
                kind[k] = mine;
                sum[k] = 0;
                kinds++;
            }
            sum[k] += TIMES(p);
            // only this sum has grown, so that the best so far, or this, is the best of all
            if (sum[k] > most || (sum[k] == most && mine < best)) {
                most = sum[k];
                best = mine;
            }
        }
        SETTLE(v, best);
    }
    tell(changed, moved, state);
}

// Adds to the count of a label in a table of 2^bits entries in local memory.
static inline void add_near(NEAR uint *keys, NEAR uint *counts, const uint bits, const uint key, const uint more)
{
    const uint mask = (1u << bits) - 1;
    uint at = HASH(key) >> (32 - bits);
    for (;;) {
#ifdef ALONE
        uint there = keys[at];
        if (there == NONE)
            keys[at] = key;
#else
        // a stale value is NONE, and then the exchange says what is there: a key that is set stays
        uint there = SHARED_LOAD(&keys[at]);
        if (there == NONE)
            there = atomic_cmpxchg(&keys[at], NONE, key);
#endif
        if (there == NONE || there == key)
            break;
        at = (at + 1) & mask;
    }
#ifdef ALONE
    counts[at] += more;
#else
    atomic_add(&counts[at], more);
#endif
}

// Bits of a table for so many arcs (at least one): it is at most half full.
static inline uint bits_for(const uint arcs)
{
    return 33 - clz(arcs - 1);
}

__kernel void propagation_rows(const int begin, const int count, __global const int *restrict list,
                               __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                               __global const int *restrict times, __global const int *restrict label,
                               __global int *restrict next, volatile __global uint *state)
{
    NEAR uint keys[TABLE];
    NEAR uint counts[TABLE];
    volatile __local uint top[2];   // the largest count, the smallest label that has it
    const int first = (int)min((long)get_group_id(0) * EACH, (long)count), last = min(first + EACH, count);
    uint changed = 0, moved = 0;
    for (int i = first; i < last; i++) {
        const int v = list[begin + i];
        const OFFSET from = row_ptr[v];
        const uint arcs = (uint)(row_ptr[v + 1] - from), bits = bits_for(arcs);
        for (uint s = LANE; s < 1u << bits; s += LANES) {
            keys[s] = NONE;
            counts[s] = 0;
        }
        if (LANE == 0) {
            top[0] = 0;
            top[1] = NONE;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint p = LANE; p < arcs; p += LANES)
            add_near(keys, counts, bits, (uint)label[col_idx[from + p]], TIMES(from + p));
        barrier(CLK_LOCAL_MEM_FENCE);
        uint most = 0, least = NONE;
        for (uint s = LANE; s < 1u << bits; s += LANES)
            most = max(most, counts[s]);
        atomic_max(&top[0], most);
        barrier(CLK_LOCAL_MEM_FENCE);
        most = top[0];
        for (uint s = LANE; s < 1u << bits; s += LANES)
            if (counts[s] == most)
                least = min(least, keys[s]);
        atomic_min(&top[1], least);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (LANE == 0)
            SETTLE(v, top[1]);
    }
    if (LANE == 0)
        tell(changed, moved, state);
}

__kernel void propagation_chunks(const int begin, const int count, __global const int *restrict list,
                                 __global const OFFSET *restrict row_ptr, __global int *restrict chunks)
{
    FOR_ITEMS(i, count) {
        const int v = list[begin + i];
        chunks[i] = (int)((row_ptr[v + 1] - row_ptr[v] + LARGE - 1) / LARGE);
    }
}

// The long row that has a chunk.
static inline int row_of_chunk(const int chunk, const int first, const int end, __global const int *restrict before)
{
    int low = first, high = end - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (before[middle + 1] <= chunk)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Adds to the count of a label in a row's table in global memory.
static inline void add_far(volatile __global uint *keys, volatile __global uint *counts, const uint slots, const uint key,
                           const uint more)
{
    uint at = mul_hi(HASH(key), slots);
    for (;;) {
        // a stale value is NONE, and then the exchange says what is there: a key that is set stays
        uint there = SHARED_LOAD(&keys[at]);
        if (there == NONE)
            there = atomic_cmpxchg(&keys[at], NONE, key);
        if (there == NONE || there == key)
            break;
        at = at + 1 == slots ? 0 : at + 1;
    }
    atomic_add(&counts[at], more);
}

// Long rows first .. end - 1: their chunks counted, and added up.
__kernel void propagation_chunk(const int begin, const int first, const int end, __global const int *restrict list,
                                __global const int *restrict before, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const int *restrict times,
                                __global const int *restrict label, volatile __global uint *keys,
                                volatile __global uint *counts)
{
    NEAR uint near_keys[TABLE];
    NEAR uint near_counts[TABLE];
    const int chunk = before[first] + (int)get_group_id(0), row = row_of_chunk(chunk, first, end, before);
    const int v = list[begin + row];
    const OFFSET from = row_ptr[v] + (OFFSET)(chunk - before[row]) * LARGE;
    const uint arcs = (uint)min((long)LARGE, (long)(row_ptr[v + 1] - from)), bits = bits_for(arcs);
    const size_t base = (size_t)(before[row] - before[first]) * SLOTS;
    const uint slots = (uint)(before[row + 1] - before[row]) * SLOTS;
    for (uint s = LANE; s < 1u << bits; s += LANES) {
        near_keys[s] = NONE;
        near_counts[s] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = LANE; p < arcs; p += LANES)
        add_near(near_keys, near_counts, bits, (uint)label[col_idx[from + p]], TIMES(from + p));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = LANE; s < 1u << bits; s += LANES)
        if (near_counts[s])
            add_far(keys + base, counts + base, slots, near_keys[s], near_counts[s]);
}

__kernel void propagation_most(const int first, const int end, __global const int *restrict before,
                               __global const uint *restrict counts, volatile __global uint *most)
{
    const int chunk = before[first] + (int)get_group_id(0);
    const size_t base = (size_t)get_group_id(0) * SLOTS;
    uint found = 0;
    for (uint s = LANE; s < SLOTS; s += LANES)
        found = max(found, counts[base + s]);
    if (found)
        atomic_max(&most[row_of_chunk(chunk, first, end, before)], found);
}

// The smallest label of the largest count; leaves the tables empty.
__kernel void propagation_least(const int first, const int end, __global const int *restrict before,
                                __global uint *restrict keys, __global uint *restrict counts,
                                __global const uint *restrict most, volatile __global uint *least)
{
    const int chunk = before[first] + (int)get_group_id(0), row = row_of_chunk(chunk, first, end, before);
    const size_t base = (size_t)get_group_id(0) * SLOTS;
    uint found = NONE;
    for (uint s = LANE; s < SLOTS; s += LANES) {
        if (counts[base + s] == most[row])
            found = min(found, keys[base + s]);
        keys[base + s] = NONE;
        counts[base + s] = 0;
    }
    if (found != NONE)
        atomic_min(&least[row], found);
}

__kernel void propagation_settle(const int begin, const int count, __global const int *restrict list,
                                 __global const int *restrict label, __global int *restrict next,
                                 __global uint *restrict most, __global uint *restrict least,
                                 volatile __global uint *state)
{
    uint changed = 0, moved = 0;
    FOR_ITEMS(i, count) {
        const int v = list[begin + i];
        SETTLE(v, least[i]);
        most[i] = 0;
        least[i] = NONE;
    }
    tell(changed, moved, state);
}
