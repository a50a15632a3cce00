// scale/extract.cl: the part of a shard that is in a sample: edges among its vertices that live long enough.
//
// member  uint[]   a bit for each vertex of the graph            before  int[]  members before each word of it
// launch  padded range; a work-item takes ITEMS consecutive rows
// tunables ITEMS; BY_EDGE: edges go by their own time (dre), OFFSET: type of row_ptr
//
// With BY_EDGE an edge (u, v) stays iff (time, u, v), u < v, is above (cut_time, cut_word).

#include "keyed.h"

#ifndef BY_EDGE
#define BY_EDGE 0
#endif

#ifndef OFFSET
#define OFFSET int
#endif

static inline int is_member(__global const uint *member, uint v)
{
    return member[v >> 5] >> (v & 31) & 1;
}

static inline int stays(__global const uint *member, uint u, uint v, ulong seed, ulong cut_time, ulong cut_word)
{
    if (u == v || !is_member(member, v))
        return 0;
#if BY_EDGE
    const ulong word = (ulong)min(u, v) << 32 | max(u, v), t = edge_priority(seed, min(u, v), max(u, v), 0);
    return t > cut_time || (t == cut_time && word > cut_word);
#else
    return 1;
#endif
}

// How many entries of each row stay.
__kernel void extract_count(const int rows, const int first_row, const ulong seed, const ulong cut_time,
                            const ulong cut_word, __global const uint *restrict member,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global int *restrict count)
{
    FOR_ITEMS(r, rows) {
        const uint u = (uint)(first_row + r);
        int found = 0;
        if (is_member(member, u))
            for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1]; p++)
                found += stays(member, u, (uint)col_idx[p], seed, cut_time, cut_word);
        count[r] = found;
    }
}

// Writes, from start[r] on, the places in the shard of the entries that stay, and the new numbers of their heads.
__kernel void extract_place(const int rows, const int first_row, const ulong seed, const ulong cut_time,
                            const ulong cut_word, __global const uint *restrict member,
                            __global const int *restrict before, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col_idx, __global const OFFSET *restrict start,
                            __global OFFSET *restrict place, __global int *restrict head)
{
    FOR_ITEMS(r, rows) {
        const uint u = (uint)(first_row + r);
        OFFSET at = start[r];
        if (at < start[r + 1])
            for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1]; p++) {
                const uint v = (uint)col_idx[p];
                if (stays(member, u, v, seed, cut_time, cut_word)) {
                    place[at] = p;
                    head[at] = before[v >> 5] + (int)popcount(member[v >> 5] & ((1u << (v & 31)) - 1));
                    at++;
                }
            }
    }
}
