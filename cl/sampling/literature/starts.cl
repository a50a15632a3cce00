// sampling/literature/starts.cl: queues of starts: of each run the vertices not seen, ascending by (start priority, index).
//
// A queue is filled with the smallest of them (smallest.cl), which are dealt to buckets by their priorities and put in order
// there. Where the queue is short, starts_few lists the vertices below a bound of which a few more than that are below, in whatever
// order; where these are few, each entry is compared with all others (starts_rank), which is one launch instead of several.
//
// mark    MARK[runs * n]: all bits set where a vertex is not seen; NULL: nowhere
// status  int[runs]: the runs with `wanting` get a queue
// owner   int[many], or NULL: the run of each entry; else it follows from `offset`
// queue   int[runs * room]
// launch  keys, few: padded range over vertices, by runs; count, deal, place: over the entries of all queues, ITEMS per work-item;
//         rank: an entry per work-item

#include "keyed.h"
#include "sampling/literature/clock.h"

#ifndef MARK
#define MARK uint
#endif

// Only vertices with edges where row_ptr is not NULL.
__kernel void starts_keys(const int n, const ulong seed, __global const MARK *restrict mark,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict status,
                          const int wanting, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, status[run] == wanting ? n : 0) {
        const long slot = (long)run * n + v;
        const int open = (!mark || mark[slot] == (MARK)~(MARK)0) && (!row_ptr || row_ptr[v + 1] > row_ptr[v]);
        key[slot] = open ? start_priority(seed + run, v) : NONE;
    }
}

#if ITEMS % 16 == 0
#define WIDE 16   // numbers made at once: vectors do it
#else
#define WIDE 1
#endif

// The vertices of starts_keys whose priorities are below a limit; count[run]: how many, where there are several
// runs; the last one: of all together.
__kernel void starts_few(const int n, const int runs, const ulong seed, const ulong limit, const int most,
                         __global const MARK *restrict mark, __global const OFFSET *restrict row_ptr,
                         __global const int *restrict status, const int wanting, volatile __global int *restrict count,
                         __global ulong *restrict key, __global int *restrict vertex, __global int *restrict owner)
{
    const int run = (int)get_global_id(1);
    const long first = (long)get_global_id(0) * ITEMS, end = min(first + ITEMS, (long)(status[run] == wanting ? n : 0));
    for (long base = first; base < end; base += WIDE) {
        ulong priority[WIDE];
        int any = 0;
        for (int k = 0; k < WIDE; k++) {
            priority[k] = start_priority(seed + run, (uint)(base + k));
            any |= priority[k] < limit;
        }
        for (int k = 0; any && k < WIDE && base + k < end; k++) {
            const int v = (int)(base + k);
            if (priority[k] >= limit || (mark && mark[(long)run * n + v] != (MARK)~(MARK)0)) continue;
            if (row_ptr && row_ptr[v + 1] == row_ptr[v]) continue;
            const int at = atomic_inc(&count[runs]);
            if (runs > 1) atomic_inc(&count[run]);
            if (at < most) {
                key[at] = priority[k];
                vertex[at] = v;
                owner[at] = run;
            }
        }
    }
}

// The run to which an entry belongs.
static inline int run_of(int at, int runs, __global const long *offset)
{
    int low = 0, high = runs - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (offset[middle] <= at) low = middle;
        else high = middle - 1;
    }
    return low;
}

// Entries are priorities, which are uniform: each run has as many buckets of them as entries, so that a bucket has O(1).

// cut: of each run a bound that no key is above.
static inline int bucket_of(int i, int run, __global const long *offset, __global const ulong *key,
                            __global const ulong *cut)
{
    const ulong scaled = key[i] << clz(max(cut[run], 1UL));
    return (int)(offset[run] + (long)mul_hi(scaled, (ulong)(offset[run + 1] - offset[run])));
}

// How many entries each bucket has, and the place of each in its bucket, in whatever order.
__kernel void starts_count(const int many, const int runs, __global const long *restrict offset,
                           __global const int *restrict owner, __global const ulong *restrict key,
                           __global const ulong *restrict cut, volatile __global int *restrict count,
                           __global int *restrict place)
{
    FOR_ITEMS(i, many) {
        const int run = owner ? owner[i] : run_of(i, runs, offset);
        place[i] = atomic_inc(&count[bucket_of(i, run, offset, key, cut)]);
    }
}

// The entries of each bucket, from before[bucket] on.
__kernel void starts_deal(const int many, const int runs, __global const long *restrict offset,
                          __global const int *restrict owner, __global const ulong *restrict key,
                          __global const ulong *restrict cut, __global const int *restrict before,
                          __global const int *restrict place, __global int *restrict entry)
{
    FOR_ITEMS(i, many) {
        const int run = owner ? owner[i] : run_of(i, runs, offset);
        entry[before[bucket_of(i, run, offset, key, cut)] + place[i]] = i;
    }
}

// Each entry to its place in the queue of its run: behind the smaller buckets, and the smaller ones in its own.
__kernel void starts_place(const int many, const int runs, const int room, __global const long *restrict offset,
                           __global const int *restrict vertex, __global const ulong *restrict key,
                           __global const ulong *restrict cut, __global const int *restrict before,
                           __global const int *restrict entry, __global int *restrict queue)
{
    FOR_ITEMS(at, many) {
        const int i = entry[at], run = run_of(at, runs, offset), bucket = bucket_of(i, run, offset, key, cut);
        long rank = before[bucket] - offset[run];
        for (int other = before[bucket]; other < before[bucket + 1]; other++) {
            const int j = entry[other];
            rank += key[j] < key[i] || (key[j] == key[i] && vertex[j] < vertex[i]);
        }
        if (rank < room) queue[(long)run * room + rank] = vertex[i];
    }
}

// Each entry to its place in the queue of its run.
__kernel void starts_rank(const int many, const int room, __global const int *restrict owner,
                          __global const int *restrict vertex, __global const ulong *restrict key,
                          __global int *restrict queue)
{
    if (get_global_id(0) < (size_t)many) {
        const int i = (int)get_global_id(0), run = owner[i], v = vertex[i];
        const ulong mine = key[i];
        int rank = 0;
        for (int j = 0; j < many; j++)
            rank += (owner[j] == run) & ((key[j] < mine) | ((key[j] == mine) & (vertex[j] < v)));
        if (rank < room) queue[(long)run * room + rank] = v;
    }
}
