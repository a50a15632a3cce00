// ranking/sell.cl: a graph's rows in sliced ELL form (ranking/sell.h), made once per graph.
//
// Vertices get new numbers: sources with many out-arcs come first, because their values are wanted most often; within a
// class of such vertices rows of similar length are side by side, the rows that are cut into pieces in front. Where
// the caches of a core are to be served (CPUs), a class is cut into windows of neighbours in the graph, and only the
// rows of a window are sorted (Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014: SELL-C-sigma).
//
// Sorting is csr/sort.cl's and csr/build_sort.cl's, sums are csr/scan.cl's; here are the keys before them and the
// gathers after them.
//
// row_ptr, col_idx  the reversed graph: row v has the sources of the arcs that arrive at v
// degree_class uchar[n]   by index: how many bounds the rank by descending out-degree reaches; hot sources are in the
//                   classes 0 .. hot_classes - 1
// hot_by_index, hot_length int[n]   arcs of a row from hot sources, by index and by number
// order, number int[n]    the index at each number, the number of each index
// start OFFSET[n + 1], source HEAD[arcs]   rows by number, each sorted by source; a source is its number + 1; if HEAD is
//                   long this is in the upper half, and the arc's position within its row in the lower one
//
// Long rows are cut into pieces. A cell is a long row's arcs from one segment of hot sources, or (the last kind) from
// the others; a piece has at most long_row arcs of one cell. Pieces are counted through by row and kind. Those of one
// kind share slices, all rows' first pieces before all rows' second ones and so on, the longest first among these: since
// a row's sources ascend, neighbours then read contributions that are close to each other at the same time, and a cache
// has them.
//
// long_before int[n + 1]     long rows before each row; long_number int[n]: which of them a row is, -1: none
// long_rows int[long]        their numbers
// cell_begin OFFSET[cells], cell_length int[cells], cell_piece int[cells + 1]   cell i * kinds + k is row i's of kind k
// key uint[pieces]           kind << bits + TURN_BITS | which piece of its cell (at most TURNS - 1) << bits | long_row -
//                            length
// first int[kinds + 1]       pieces of each kind among the sorted ones; at: where its slices begin, in rows
// piece_place, piece_at      for each row of the slices of pieces which piece it is, -1 in padding; and the inverse
//
// launch            padded range, each work-item takes ITEMS consecutive vertices, rows, cells, pieces or slices, ROWS
//                   consecutive rows where it reads their arcs, or RUN consecutive arcs
// tunables          ITEMS, ROWS, RUN, WIDTH, LONG_ROW, TURN_BITS

#include "csr/arcs.h"

#ifndef HEAD
#define HEAD int
#endif
#ifndef REAL
#define REAL float
#endif
#ifndef WIDTH
#define WIDTH 8
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef LONG_ROW
#define LONG_ROW 1024
#endif
#ifndef TURN_BITS
#define TURN_BITS 8
#endif
#define TURNS (1 << TURN_BITS)
#define KIND_OF(key) ((int)((key) >> (bits + TURN_BITS)))
// `low` becomes the first position from itself to `high` where `before` (of `middle`) no longer holds
#define BISECT(before)                              \
    while (low < high) {                            \
        const OFFSET middle = low + (high - low) / 2; \
        if (before) low = middle + 1;               \
        else high = middle;                         \
    }

// --- numbers --------------------------------------------------------------------------------------------------------

// figures uint[2]: the longest row, and how many have arcs; 0 before.
__kernel void sell_survey(const int n, __global const OFFSET *restrict row_ptr, volatile __global uint *figures)
{
    __local uint most, filled;
    if (get_local_id(0) == 0)
        most = filled = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint longest = 0, some = 0;
    FOR_ITEMS(v, n) {
        const uint length = (uint)(row_ptr[v + 1] - row_ptr[v]);
        longest = max(longest, length);
        some += length > 0;
    }
    atomic_max(&most, longest);
    atomic_add(&filled, some);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        // stale is harmless: the word only grows, and most groups need not touch it
        if (most > SHARED_LOAD(figures))
            atomic_max(figures, most);
        atomic_add(figures + 1, filled);
    }
}

// Descending out-degree; row_ptr is the graph's own here.
__kernel void sell_degree_keys(const int n, const uint most, __global const OFFSET *restrict row_ptr,
                               __global uint *restrict key)
{
    FOR_ITEMS(v, n) key[v] = most - (uint)(row_ptr[v + 1] - row_ptr[v]);
}

__kernel void sell_classes(const int n, const int bounds, __global const int *restrict bound,
                           __global const int *restrict by_degree, __global uchar *restrict degree_class)
{
    FOR_ITEMS(i, n) {
        int reached = 0;
        for (int k = 0; k < bounds; k++)
            reached += i >= bound[k];
        degree_class[by_degree[i]] = (uchar)reached;
    }
}

__kernel void sell_hot(const int n, const long arcs, const int hot_classes, __global const OFFSET *restrict row_ptr,
                       __global const int *restrict col_idx, __global const uchar *restrict degree_class,
                       volatile __global int *hot_by_index)
{
    int v = -1, last = -1, hot = 0;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        if (v != last) {
            if (hot)
                atomic_add(&hot_by_index[last], hot);
            last = v;
            hot = 0;
        }
        hot += degree_class[col_idx[p]] < hot_classes;
    }
    if (hot)
        atomic_add(&hot_by_index[last], hot);
}

// Rows of more than long_row arcs first, the longest in front; then by arcs from hot sources and from cold ones.
__kernel void sell_length_keys(const int n, const int long_row, const uint longest,
                               __global const OFFSET *restrict row_ptr, __global const int *restrict hot_by_index,
                               __global uint *restrict key)
{
    const uint shorter = longest > (uint)long_row ? longest - long_row : 0;
    FOR_ITEMS(v, n) {
        const uint length = (uint)(row_ptr[v + 1] - row_ptr[v]), hot = hot_by_index[v];
        key[v] = length > (uint)long_row ? longest - length
                                         : shorter + (long_row - hot) * (long_row + 1) + (long_row - (length - hot));
    }
}

// The window of each vertex, by index: those of class c begin with number base[c] and have step[c] positions each, where
// the class's own positions begin at begin[c]. by_class: the vertices by class, then by index.
__kernel void sell_windows(const int n, __global const int *restrict begin, __global const int *restrict step,
                           __global const int *restrict base, __global const int *restrict by_class,
                           __global const uchar *restrict degree_class, __global int *restrict window)
{
    FOR_ITEMS(i, n) {
        const int v = by_class[i], c = degree_class[v];
        window[v] = base[c] + (i - begin[c]) / step[c];
    }
}

// What rows are grouped by: the window, or (NULL) the class.
__kernel void sell_group_keys(const int n, __global const int *restrict by_length,
                              __global const uchar *restrict degree_class, __global const int *restrict window,
                              __global uint *restrict key)
{
    FOR_ITEMS(i, n) {
        const int v = by_length ? by_length[i] : i;
        key[i] = window ? (uint)window[v] : degree_class[v];
    }
}

// By number: lengths, and whether the row is long.
__kernel void sell_rows(const int n, const int long_row, __global const int *restrict order,
                        __global const OFFSET *restrict row_ptr, __global const int *restrict hot_by_index,
                        __global int *restrict number, __global int *restrict length,
                        __global int *restrict hot_length, __global int *restrict cold_length,
                        __global int *restrict is_long)
{
    FOR_ITEMS(r, n) {
        const int v = order[r];
        const int arcs = (int)(row_ptr[v + 1] - row_ptr[v]), hot = hot_by_index[v];
        number[v] = r;
        length[r] = arcs;
        hot_length[r] = hot;
        cold_length[r] = arcs - hot;
        is_long[r] = arcs > long_row;
    }
}

__kernel void sell_arcs(const int n, const long arcs, __global const int *restrict order,
                        __global const OFFSET *restrict start, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global const int *restrict number,
                        __global HEAD *restrict source)
{
    int r = -1;
    FOR_RUN(p, arcs) {
        r = row_after(p, r, n, start);
        const OFFSET j = p - start[r];
        const int u = number[col_idx[row_ptr[order[r]] + j]] + 1;
#ifdef WEIGHTED
        source[p] = (HEAD)u << 32 | (HEAD)j;
#else
        source[p] = u;
#endif
    }
}

// After sorting: sources alone, and the share of each arc; `share` is beside col_idx.
__kernel void sell_shares(const int n, const long arcs, __global const int *restrict order,
                          __global const OFFSET *restrict start, __global const OFFSET *restrict row_ptr,
                          __global const long *restrict sorted, __global const REAL *restrict share,
                          __global int *restrict source, __global REAL *restrict arc_share)
{
    int r = -1;
    FOR_RUN(p, arcs) {
        r = row_after(p, r, n, start);
        source[p] = (int)(sorted[p] >> 32);
        arc_share[p] = share[row_ptr[order[r]] + (OFFSET)(uint)sorted[p]];
    }
}

// --- long rows -------------------------------------------------------------------------------------------------------

__kernel void sell_long_rows(const int n, __global const int *restrict long_before, __global int *restrict long_number,
                             __global int *restrict long_rows)
{
    FOR_ITEMS(v, n) {
        const int i = long_before[v], is_long = long_before[v + 1] > i;
        long_number[v] = is_long ? i : -1;
        if (is_long)
            long_rows[i] = v;
    }
}

// The first arc of a row from a source after number `last`.
static inline OFFSET first_after(int last, OFFSET low, OFFSET high, __global const int *source)
{
    BISECT(source[middle] <= last)
    return low;
}

// source NULL: rows are not sorted; there is one segment, whose arcs count as in front of the others.
__kernel void sell_cells(const int cells, const int kinds, const int hot, const int long_row,
                         __global const int *restrict long_rows, __global const OFFSET *restrict start,
                         __global const int *restrict source, __global const int *restrict hot_length,
                         __global OFFSET *restrict cell_begin, __global int *restrict cell_length,
                         __global int *restrict pieces)
{
    FOR_ITEMS(c, cells) {
        const int i = c / kinds, k = c - i * kinds, v = long_rows[i];
        const OFFSET from = start[v], to = start[v + 1];
        OFFSET begin = from, end = to;
        if (k > 0) begin = source ? first_after(k * hot, from, to, source) : from + hot_length[v];
        if (k + 1 < kinds) end = source ? first_after((k + 1) * hot, begin, to, source) : from + hot_length[v];
        const int length = (int)(end - begin);
        cell_begin[c] = begin;
        cell_length[c] = length;
        pieces[c] = (length + long_row - 1) / long_row;
    }
}

__kernel void sell_piece_keys(const int cells, const int kinds, const int long_row, const int bits,
                              __global const int *restrict cell_piece, __global const int *restrict cell_length,
                              __global uint *restrict key)
{
    FOR_ITEMS(c, cells) {
        const uint kind = (uint)(c - c / kinds * kinds);
        const int first = cell_piece[c];
        int left = cell_length[c];
        for (int k = first; k < cell_piece[c + 1]; k++, left -= long_row)
            key[k] = (kind << TURN_BITS | (uint)min(k - first, TURNS - 1)) << bits | (uint)max(0, long_row - left);
    }
}

__kernel void sell_kinds(const int kinds, const int count, const int bits, __global const uint *restrict key,
                         __global int *restrict first)
{
    FOR_ITEMS(k, kinds + 1) {
        OFFSET low = 0, high = count;
        BISECT(KIND_OF(key[middle]) < k)
        first[k] = (int)low;
    }
}

// The rows of the slices of pieces: which piece each is, and its length.
__kernel void sell_pieces(const int count, const int kinds, const int long_row, const int bits,
                          __global const uint *restrict key, __global const int *restrict piece,
                          __global const int *restrict first, __global const int *restrict at,
                          __global int *restrict piece_at, __global int *restrict piece_place,
                          __global int *restrict hot_length, __global int *restrict cold_length)
{
    FOR_ITEMS(i, count) {
        const int kind = KIND_OF(key[i]), to = at[kind] + (i - first[kind]);
        const int length = long_row - (int)(key[i] & ((1u << bits) - 1));
        piece_at[piece[i]] = to;
        piece_place[to] = piece[i];
        hot_length[to] = kind < kinds - 1 ? length : 0;
        cold_length[to] = kind < kinds - 1 ? 0 : length;
    }
}

// The first piece of each row, and after the last one; the rows of more than `joined` pieces, in any order.
// counts: the most pieces of a row, and how many such rows there are
__kernel void sell_firsts(const int n, const int kinds, const int joined, __global const int *restrict long_before,
                          __global const int *restrict cell_piece, __global int *restrict first_piece,
                          __global int *restrict hub, volatile __global int *counts)
{
    FOR_ITEMS(v, n + 1) {
        const int first = cell_piece[long_before[v] * kinds];
        const int pieces = v < n ? cell_piece[long_before[v + 1] * kinds] - first : 0;
        first_piece[v] = first;
        // stale is harmless: the word only grows
        if (pieces && pieces > SHARED_LOAD(counts)) atomic_max(counts, pieces);
        if (pieces > joined) hub[atomic_inc(counts + 1)] = v;
    }
}

// --- slices ----------------------------------------------------------------------------------------------------------

__kernel void sell_steps(const int n, const int count, const int long_row, __global const int *restrict hot_length,
                         __global const int *restrict cold_length, __global int *restrict hot_steps,
                         __global int *restrict cold_steps)
{
    FOR_ITEMS(s, count) {
        int hot = 0, cold = 0;
        for (int r = s * WIDTH, end = min(n - r, WIDTH) + r; r < end; r++) {
            if (hot_length[r] + cold_length[r] <= long_row) {
                hot = max(hot, hot_length[r]);
                cold = max(cold, cold_length[r]);
            }
        }
        hot_steps[s] = hot;
        cold_steps[s] = cold;
    }
}

#ifdef WEIGHTED
#define SHARE(part, at) part##_share[at] = arc_share[p];
#else
#define SHARE(part, at)
#endif
#define PUT_AT(part, at, value)     \
    do {                            \
        part##_index[at] = value;   \
        SHARE(part, at)             \
    } while (0)
#define PUT(part, slice, step, lane, value) \
    PUT_AT(part, ((long)part##_begin[slice] + (step)) * WIDTH + (lane), value)
#define PART(part, type)                                                                    \
    __global const int *restrict part##_begin, __global type *restrict part##_index,        \
        __global REAL *restrict part##_share
#define PARTS PART(hot_row, ushort), PART(cold_row, int), PART(hot_piece, ushort), PART(cold_piece, int)
// The j-th arc of a cell, from source u, into its piece; hot ones count from their segment's first source.
#define PUT_IN_PIECE(cell, j, kind, u)                                                                           \
    do {                                                                                                         \
        const int full_ = (j) / long_row, to_ = piece_at[cell_piece[cell] + full_], j_ = (j) - full_ * long_row; \
        if ((kind) < segments)                                                                                   \
            PUT(hot_piece, to_ / WIDTH, j_, to_ & (WIDTH - 1), (ushort)((u) - (kind) * hot));                    \
        else                                                                                                     \
            PUT(cold_piece, to_ / WIDTH, j_, to_ & (WIDTH - 1), u);                                              \
    } while (0)

// Arcs of sorted rows: arc j of a short row goes to step j of its slice; its cold arcs are counted separately. A long
// row's arcs from one segment of `hot` sources, or from none, fill pieces of long_row arcs one after another.
__kernel void sell_place(const int n, const long arcs, const int hot, const int segments, const int long_row,
                         __global const OFFSET *restrict start, __global const int *restrict source,
                         __global const REAL *restrict arc_share, __global const int *restrict hot_length,
                         __global const int *restrict long_number, __global const OFFSET *restrict cell_begin,
                         __global const int *restrict cell_piece, __global const int *restrict piece_at, PARTS)
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
            PUT_IN_PIECE(cell, (int)(p - cell_begin[cell]), kind, u);
        }
    }
}

// The same of rows that are not sorted, with one segment: hot and cold arcs each keep the order of the graph.
__kernel void sell_place_rows(const int n, const int hot, __global const int *restrict order,
                              __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                              __global const int *restrict number, __global const REAL *restrict arc_share,
                              __global const int *restrict long_number, __global const int *restrict cell_piece,
                              __global const int *restrict piece_at, PARTS)
{
    const int segments = 1, long_row = LONG_ROW;   // known to the compiler: a division for each arc takes long
    const long first = min((long)get_global_id(0) * ROWS, (long)n);
    const int end = (int)min(first + ROWS, (long)n);
    for (int r = (int)first; r < end; r++) {
        const int v = order[r], slice = r / WIDTH, lane = r & (WIDTH - 1), long_row_number = long_number[r];
        if (long_row_number < 0) {
            long hot_at = (long)hot_row_begin[slice] * WIDTH + lane;
            long cold_at = (long)cold_row_begin[slice] * WIDTH + lane;
            for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
                const int u = number[col_idx[p]] + 1;
                if (u <= hot) {
                    PUT_AT(hot_row, hot_at, (ushort)u);
                    hot_at += WIDTH;
                } else {
                    PUT_AT(cold_row, cold_at, u);
                    cold_at += WIDTH;
                }
            }
        } else {
            int hot_arcs = 0, cold_arcs = 0;
            for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
                const int u = number[col_idx[p]] + 1, kind = u > hot, j = kind ? cold_arcs++ : hot_arcs++;
                PUT_IN_PIECE(2 * long_row_number + kind, j, kind, u);
            }
        }
    }
}
