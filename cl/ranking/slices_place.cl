// ranking/slices_place.cl: put the arcs of renumbered rows into slices (ranking/slices.h), once per graph.
//
// Each row's arcs are sorted by source, hot ones first. Arc j of a short row goes to step j of its slice; its cold arcs
// are counted separately. A long row's arcs go to its pieces: those from one segment of `hot` sources (its index counts
// from the segment's first source), or from none, fill pieces of long_row arcs one after another.
//
// start OFFSET[n + 1], source int[arcs]   rows; a source is its new number + 1
// arc_share REAL[arcs]                    with WEIGHTED
// long_number int[n]                      which of the long rows; -1 for short ones
// cell_piece int[]                        long row i's first piece from segment k: cell_piece[i * (segments + 1) + k]
// piece_at int[pieces]                    the row of each piece among the rows of the slices of pieces
// launch      padded range, each work-item takes ITEMS consecutive rows
// tunables    ITEMS, WIDTH

#ifndef OFFSET
#define OFFSET int
#endif
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
#define SHARE(part) part##_share[at_] = arc_share[e];
#else
#define SHARE(part)
#endif
#define PART(part, type)                                                                    \
    __global const int *restrict part##_begin, __global type *restrict part##_index,        \
        __global REAL *restrict part##_share

__kernel void pagerank_place(const int n, const int hot, const int segments, const int long_row,
                             __global const OFFSET *restrict start, __global const int *restrict source,
                             __global const REAL *restrict arc_share, __global const int *restrict long_number,
                             __global const int *restrict cell_piece, __global const int *restrict piece_at,
                             PART(hot_row, ushort), PART(cold_row, int), PART(hot_piece, ushort), PART(cold_piece, int))
{
    FOR_ITEMS(v, n) {
        const int number = long_number[v], slice = v / WIDTH, lane = v & (WIDTH - 1);
        int kind = -1, j = 0;
        for (OFFSET e = start[v]; e < start[v + 1]; e++, j++) {
            const int u = source[e];
            if (number < 0) {
                if (kind < 0 && u > hot) {
                    kind = 0;   // the first cold one
                    j = 0;
                }
                if (kind < 0)
                    PUT(hot_row, slice, j, lane, (ushort)u);
                else
                    PUT(cold_row, slice, j, lane, u);
            } else {
                const int from = (u - 1) / hot, now = min(from, segments);
                if (now != kind) {
                    kind = now;
                    j = 0;
                }
                const int place = piece_at[cell_piece[number * (segments + 1) + kind] + j / long_row];
                const int step = j - j / long_row * long_row;
                if (kind < segments)
                    PUT(hot_piece, place / WIDTH, step, place & (WIDTH - 1), (ushort)(u - kind * hot));
                else
                    PUT(cold_piece, place / WIDTH, step, place & (WIDTH - 1), u);
            }
        }
    }
}
