// ranking/deal_place.cl: put the arcs that ranking/deal.cl dealt out into slices (ranking/slices.h), window by window.
//
// layout       ranking/deal.h; long_number, cell_piece, piece_at as in ranking/slices_place.cl, with one segment
//              source_number int[n]: by index, the number + 1
// launch       one work-item per window; no barriers
// tunables     WIDTH, LONG_ROW, WINDOW_BITS, CHUNK

#include "ranking/deal.h"

#define PART(part, type)                                                                    \
    __global const int *restrict part##_begin, __global type *restrict part##_index,        \
        __global REAL *restrict part##_share
#ifdef WEIGHTED
#define PUT_SHARE(part, at, e) part##_share[at] = dealt_share[e]
#else
#define PUT_SHARE(part, at, e)
#endif

// The window's arcs of one kind: those of a short row one after another into its slice, those of a long row into its
// pieces. next[v]: where row v's next arc goes; for a long row -1 - (the number of its arcs already placed). (No %
// beside /: Oclgrind does not know the instruction that LLVM makes of the pair.)
#define FILL(rows, pieces, type, kind)                                                                 \
    for (int v = first; v < last; v++) {                                                               \
        const int r = number[v];                                                                       \
        next[v] = long_number[r] < 0 ? (long)rows##_begin[r / WIDTH] * WIDTH + (r & (WIDTH - 1)) : -1; \
    }                                                                                                  \
    FOR_DEALT(e, 2 * w + kind) {                                                                       \
        const uint arc = dealt[e];                                                                     \
        const int v = first + POSITION_OF(arc);                                                        \
        const type source = (type)source_number[chunk_source[e_chunk] + (int)(arc >> WINDOW_BITS)];    \
        const long at = next[v];                                                                       \
        if (at >= 0) {                                                                                 \
            next[v] = at + WIDTH;                                                                      \
            rows##_index[at] = source;                                                                 \
            PUT_SHARE(rows, at, e);                                                                    \
        } else {                                                                                       \
            const long done = -1 - at, full = done / LONG_ROW;                                         \
            next[v] = at - 1;                                                                          \
            const int to = piece_at[cell_piece[2 * long_number[number[v]] + kind] + full];             \
            const long turn = pieces##_begin[to / WIDTH] + done - full * LONG_ROW;                     \
            const long there = turn * WIDTH + (to & (WIDTH - 1));                                      \
            pieces##_index[there] = source;                                                            \
            PUT_SHARE(pieces, there, e);                                                               \
        }                                                                                              \
    }

__kernel void pagerank_deal_place(const int windows, __global const int *restrict window_begin, CHUNKS,
                                  __global const int *restrict chunk_source, __global const REAL *restrict dealt_share,
                                  __global const int *restrict number, __global const int *restrict source_number,
                                  __global const int *restrict long_number, __global const int *restrict cell_piece,
                                  __global const int *restrict piece_at, __global long *restrict next,
                                  PART(hot_row, ushort), PART(cold_row, int), PART(hot_piece, ushort),
                                  PART(cold_piece, int))
{
    const int w = get_global_id(0);
    if (w < windows) {
        const int first = window_begin[w], last = window_begin[w + 1];
        FILL(hot_row, hot_piece, ushort, 0)
        FILL(cold_row, cold_piece, int, 1)
    }
}
