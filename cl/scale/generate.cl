// scale/generate.cl: the draws of csr/generate.cl that belong to some rows of a section, one shard at a time.
//
// A draw is made whenever it is asked for, or read from `tail` and `head`, if they are given.
// section    0 pairs: in the row of the smaller end. 1 rows: in both rows. 2 out: the tail's. 3 in: the head's.
//            4, 5: in the row of the smaller end, if that is the tail, or the head. Loops are nowhere.
// counts     uint[]    draws that belong to the rows of each block of BLOCK
// rows, cols int[]     those of rows first .. last - 1, in any order: rows from 0 on; `placed` counts them
// launch     a work-item takes RUN consecutive draws; shard_ways: a row
// tunables   RUN, BLOCK; RMAT: the model; OFFSET

#include "csr/arcs.h"
#include "csr/draws.h"

#ifndef BLOCK
#define BLOCK 4096
#endif

#if RMAT
#define MODEL const int scale, const ulong a, const ulong b, const ulong c, const int scramble, __global const uint *keys
#define MADE(i, t, h) rmat_ends(i, seed, scale, a, b, c, scramble, keys, t, h)
#else
#define MODEL const uint n, const uint stride, __global const int *guide, __global const uint *thresholds, \
              __global const int *bounds
#define MADE(i, t, h) powerlaw_ends(i, seed, n, stride, guide, thresholds, bounds, t, h)
#endif

#define DRAW(i) \
    int t, h; \
    if (tail) { \
        t = tail[i]; \
        h = head[i]; \
    } else \
        MADE(i, &t, &h); \
    int row[2] = {-1, -1}; \
    if (t != h) { \
        row[0] = section == 1 || section == 2 ? t : section == 3 ? h : min(t, h); \
        if (section == 1) \
            row[1] = h; \
        if ((section == 4 && h < t) || (section == 5 && t < h)) \
            row[0] = -1; \
    }

__kernel void shard_tally(const long count, const ulong seed, MODEL, __global const int *tail, __global const int *head,
                          const int section, volatile __global uint *counts)
{
    FOR_RUN(i, count) {
        DRAW(i)
        for (int k = 0; k < 2; k++)
            if (row[k] >= 0)
                atomic_inc(&counts[row[k] / BLOCK]);
    }
}

__kernel void shard_take(const long count, const ulong seed, MODEL, __global const int *tail, __global const int *head,
                         const int section, const int first, const int last, volatile __global uint *placed,
                         __global int *restrict rows, __global int *restrict cols)
{
    uint found = 0;
    FOR_RUN(i, count) {
        DRAW(i)
        for (int k = 0; k < 2; k++)
            found += row[k] >= first && row[k] < last;
    }
    if (found) {
        ulong at = atomic_add(placed, found);
        FOR_RUN(i, count) {
            DRAW(i)
            for (int k = 0; k < 2; k++)
                if (row[k] >= first && row[k] < last) {
                    rows[at] = row[k] - first;
                    cols[at] = row[k] == t ? h : t;
                    at++;
                }
        }
    }
}

// Which ways a pair goes: 1 from the row's vertex, 2 to it, 3 both; from the rows of the draws each way.
__kernel void shard_ways(const int rows, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global const OFFSET *restrict away_ptr, __global const int *restrict away_idx,
                         __global const OFFSET *restrict back_ptr, __global const int *restrict back_idx,
                         __global uchar *restrict way)
{
    const int r = get_global_id(0);
    if (r >= rows)
        return;
    OFFSET away = away_ptr[r], back = back_ptr[r];   // all three rows ascend
    for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1]; p++) {
        const int v = col_idx[p];
        const int goes = away < away_ptr[r + 1] && away_idx[away] == v;
        const int comes = back < back_ptr[r + 1] && back_idx[back] == v;
        way[p] = (uchar)(goes | comes << 1);
        away += goes;
        back += comes;
    }
}
