// sampling/literature/starts.cl: queues of starts: of each run the vertices not seen, ascending by (start priority, index).
//
// A queue is filled with the smallest of them (smallest.cl), which a stable sort of 32-bit words (csr/sort.cl) puts in
// order: the low words, the high ones, then the runs. Where the queue is short, starts_few lists the vertices below a bound of
// which a few more than that are below, in whatever order: they are sorted by index, too, or, where they are few, each entry is
// compared with all others (starts_rank), which is one launch instead of some dozens.
//
// mark    MARK[runs * n]: all bits set where a vertex is not seen; NULL: nowhere
// status  int[runs]: the runs with `wanting` get a queue
// owner   int[many], or NULL: the run of each entry; else it follows from `offset`
// queue   int[runs * room]
// launch  keys, few: padded range over vertices, by runs; words, place: over the entries of all queues, ITEMS per work-item;
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

// The vertices of starts_keys whose priorities are below a limit; count[run]: how many, the last one of all together.
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
            atomic_inc(&count[run]);
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

// 32 bits of each entry's key (0, 1), its run (2) or its vertex (3), of entries in the order of `place` (NULL: as they are).
__kernel void starts_words(const int many, const int which, const int runs, __global const long *restrict offset,
                           __global const int *restrict owner, __global const int *restrict vertex,
                           __global const ulong *restrict key, __global const int *restrict place,
                           __global uint *restrict word)
{
    FOR_ITEMS(i, many) {
        const int at = place ? place[i] : i;
        if (which == 3) word[i] = (uint)vertex[at];
        else if (which == 2) word[i] = (uint)(owner ? owner[at] : run_of(at, runs, offset));
        else word[i] = (uint)(key[at] >> (32 * which));
    }
}

__kernel void starts_place(const int many, const int runs, const int room, __global const long *restrict offset,
                           __global const int *restrict vertex, __global const int *restrict place,
                           __global int *restrict queue)
{
    FOR_ITEMS(i, many) {
        const int run = run_of(i, runs, offset);
        if (i - offset[run] < room) queue[(long)run * room + (i - offset[run])] = vertex[place[i]];
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
