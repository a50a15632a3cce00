// csr/arcs.h: passes over all arcs of a CSR. Rows may be of any length (a contracted vertex soon has most arcs of the
// graph), so a work-item takes RUN consecutive arcs, not rows, and walks along the rows that hold them.
//
// OFFSET      type of row_ptr: int, or long from 2^31 arcs on
// tunables    RUN: 16 on GPUs, thousands on CPUs; ITEMS

#include "lists.h"

#ifndef RUN
#ifdef KIND_GPU
#define RUN 16
#else
#define RUN 4096
#endif
#endif

// for (each position p < count of this work-item)
#define FOR_RUN(p, count)                                                                                     \
    for (long p = min((long)get_global_id(0) * RUN, (long)(count)), p##_end = min(p + RUN, (long)(count)); \
         p < p##_end; ++p)

// The row v >= from that holds arc p, by bisection.
static inline int row_of(const long p, const int from, const int n, __global const OFFSET *restrict row_ptr)
{
    int low = from, high = n - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (row_ptr[middle + 1] <= p)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The same, where v is the row of an arc shortly before p, or -1.
static inline int row_after(const long p, int v, const int n, __global const OFFSET *restrict row_ptr)
{
    if (v < 0)
        return row_of(p, 0, n, row_ptr);
    if (p >= row_ptr[v + 1] && p >= row_ptr[++v + 1])
        v = row_of(p, v + 1, n, row_ptr);
    return v;
}

// for (each row with some of the RUN arcs of this work-item, which are p .. stop - 1; none where stop <= p). RUN 0: for each
// of ITEMS whole rows, which a CPU goes through in three quarters of the time where most rows are passed over.
#if RUN
#define FOR_ROW_PARTS(row, p, stop, rows, count)                                                                 \
    for (long p = min((long)get_global_id(0) * RUN, (long)(count)), p##_end = min(p + RUN, (long)(count)), stop, \
              row = p < p##_end ? row_of(p, 0, (rows), row_ptr) : 0;                                             \
         p < p##_end && (stop = min(p##_end, (long)row_ptr[row + 1]), true); p = stop, row++)
#else
#define FOR_ROW_PARTS(row, p, stop, rows, count)                                                                 \
    FOR_ITEMS(row, rows)                                                                                         \
        for (long p = row_ptr[row], stop = row_ptr[row + 1]; p <= stop; p = stop + 1)   /* once */
#endif

// Where the arc to `head` is, in a row that has it; else some place from the row's begin to its end.
static inline OFFSET place_of(__global const OFFSET *row_ptr, __global const int *col_idx,
                              const int tail, const int head)
{
    return search_from(row_ptr[tail], row_ptr[tail + 1] - 1, head, col_idx);
}
