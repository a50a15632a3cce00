// sampling/shards/forest_rows.cl: rows of a graph as words of sampling/shards/forest.cl.
//
// The rows hold each edge once, in the row of either end, or (BOTH_WAYS) in both; loops and second entries become 0.
// Edges from `begin` to `end` of the rows are written to the list from place `at` on.
//
// launch     a work-group of LANES work-items takes CHUNK consecutive edges and finds their rows by binary search
// tunables   CHUNK, LANES, KEEP_TIMES, BY_EDGE, OFFSET as in sampling/shards/forest.cl; BOTH_WAYS

#include "csr/arcs.h"
#include "sampling/shards/both_ways.h"
#include "sampling/shards/forest.h"

__kernel void forest_rows(const int rows, const int first_row, const ulong seed, const long begin, const long end,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          const long at, __global ulong *restrict words, __global ulong *restrict times)
{
    const int lane = get_local_id(0);
    const long from = begin + (long)get_group_id(0) * CHUNK, to = min(from + CHUNK, end);
#if LANES > 1
    __local int bound[2];
    if (lane < 2)
        bound[lane] = row_of(lane ? to - 1 : from, 0, rows, row_ptr);
    barrier(CLK_LOCAL_MEM_FENCE);
    int row = bound[0];
    const int end_row = bound[1] + 1;
#else
    int row = row_of(from, 0, rows, row_ptr);
#endif
    int known = -1;
    ulong own = 0;
    for (long p = from + lane; p < to; p += LANES) {
#if LANES > 1
        row = row_of(p, row, end_row, row_ptr);
#else
        row = row_after(p, row, rows, row_ptr);
#endif
        const uint u = (uint)(first_row + row), v = (uint)col_idx[p];
        ulong word = 0, t = 0;
#if BY_EDGE
        if (COUNTS(u, v)) {
            word = (ulong)min(u, v) << 32 | max(u, v);
#if KEEP_TIMES
            t = edge_priority(seed, min(u, v), max(u, v), 0);
#endif
        }
#else
        if (known != row) {   // once a row, where a work-item goes through rows
            known = row;
            own = vertex_priority(seed, u);
        }
        if (COUNTS(u, v)) {
            const ulong other = vertex_priority(seed, v);
            const int first = own < other || (own == other && u < v);
            word = first ? (ulong)u << 32 | v : (ulong)v << 32 | u;
            t = first ? own : other;
        }
#endif
        words[at + p - begin] = word;
#if KEEP_TIMES
        times[at + p - begin] = t;
#endif
    }
}
