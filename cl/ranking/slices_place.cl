// ranking/slices_place.cl: put the arcs of renumbered rows into slices (ranking/slices.h), once per graph.
//
// Each row's arcs are sorted by source, hot ones first. Arc j of a short row goes to step j of its slice; its cold arcs
// are counted separately. A long row's arcs go to its pieces: those from one segment of `hot` sources (its index counts
// from the segment's first source), or from none, fill pieces of long_row arcs one after another.
//
// start OFFSET[n + 1], source int[arcs]   rows; a source is its new number + 1
// arc_share REAL[arcs]                    with WEIGHTED
// hot_length int[n]                       arcs of a row from hot sources
// long_number int[n]                      which of the long rows; -1 for short ones
// cell_begin OFFSET[], cell_piece int[]   long row i's first arc and first piece from segment k: [i * (segments + 1) + k]
// piece_at int[pieces]                    the row of each piece among the rows of the slices of pieces
// launch      padded range, each work-item takes RUN consecutive arcs
// tunables    RUN, WIDTH

#include "csr/arcs.h"

#ifndef REAL
#define REAL float
#endif
#ifndef WIDTH
#define WIDTH 8
#endif

#define PUT(part, slice, step, lane, value)                                          \
    do {                                                                             \
        const long at_ = ((long)part##_begin[slice] + (step)) * WIDTH + (lane);      \
        part##_index[at_] = value;                                                   \
        SHARE(part)                                                                  \
    } while (0)
#ifdef WEIGHTED
#define SHARE(part) part##_share[at_] = arc_share[p];
#else
#define SHARE(part)
#endif
#define PART(part, type)                                                                    \
    __global const int *restrict part##_begin, __global type *restrict part##_index,        \
        __global REAL *restrict part##_share

__kernel void slices_place(const int n, const long arcs, const int hot, const int segments, const int long_row,
                           __global const OFFSET *restrict start, __global const int *restrict source,
                           __global const REAL *restrict arc_share, __global const int *restrict hot_length,
                           __global const int *restrict long_number, __global const OFFSET *restrict cell_begin,
                           __global const int *restrict cell_piece, __global const int *restrict piece_at,
                           PART(hot_row, ushort), PART(cold_row, int), PART(hot_piece, ushort), PART(cold_piece, int))
{
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, start);
        const int u = source[p], number = long_number[v];
        if (number < 0) {
            const int slice = v / WIDTH, lane = v & (WIDTH - 1), j = (int)(p - start[v]);
            if (u <= hot)
                PUT(hot_row, slice, j, lane, (ushort)u);
            else
                PUT(cold_row, slice, j - hot_length[v], lane, u);
        } else {
            const int kind = min((u - 1) / hot, segments), cell = number * (segments + 1) + kind;
            const int j = (int)(p - cell_begin[cell]), full = j / long_row;
            const int place = piece_at[cell_piece[cell] + full], step = j - full * long_row;
            if (kind < segments)
                PUT(hot_piece, place / WIDTH, step, place & (WIDTH - 1), (ushort)(u - kind * hot));
            else
                PUT(cold_piece, place / WIDTH, step, place & (WIDTH - 1), u);
        }
    }
}
