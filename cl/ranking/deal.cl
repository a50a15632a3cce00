// ranking/deal.cl: reverse a graph's arcs and put them into slices (ranking/slices.h), once per graph, on devices with
// few, strong cores (CPUs).
//
// Sorting all arcs by row and source, as the host does for GPUs, takes longer than 20 iterations. Here rows keep the
// order of the graph inside a class of sources, except that a window of neighbours is sorted by length (Kreutzer et
// al., SIAM J. Sci. Comput. 36(5), 2014: SELL-C-sigma). The arcs are dealt out to windows, one stream of writes for
// each; a window is small enough for a core's own cache, where its rows are counted, sorted and filled. Arcs from hot
// sources and from others are dealt separately. No atomics, and the same slices whatever the timing.
//
// layout       ranking/deal.h; ranking/deal_place.cl then fills the slices
// launch       one work-item per slice, or per window; no barriers
// tunables     WIDTH, LONG_ROW, WINDOW_BITS (at most 16), CHUNK (a power of two)

#include "ranking/deal.h"

// region: first chunk of each slice's region. next long[slices][2 * windows]: scratch, where a stream's next arc goes;
// the position at the beginning of a chunk means that a new chunk is needed.
__kernel void pagerank_deal(const int slices, const int windows, const int hot_windows,
                            __global const int *restrict bound,
                            __global const int *restrict region, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col_idx, __global const REAL *restrict share,
                            __global const uint *restrict place, __global long *restrict next,
                            __global uint *restrict dealt, __global REAL *restrict dealt_share,
                            __global int *restrict owner, __global int *restrict chunk_source,
                            __global int *restrict chunk_length)
{
    const int k = get_global_id(0);
    if (k < slices) {
        __global long *mine = next + (long)k * 2 * windows;
        for (int s = 0; s < 2 * windows; s++)
            mine[s] = 0;
        const int base = bound[k];
        int fresh = region[k];
        for (int u = base; u < bound[k + 1]; u++) {
            const int cold = WINDOW_OF(place[u]) >= hot_windows;
            const uint source = (uint)(u - base) << WINDOW_BITS;
            for (OFFSET e = row_ptr[u]; e < row_ptr[u + 1]; e++) {
                const uint to = place[col_idx[e]];
                const int s = 2 * WINDOW_OF(to) + cold;
                long at = mine[s];
                if ((at & (CHUNK - 1)) == 0) {
                    owner[fresh] = s;
                    chunk_source[fresh] = base;
                    chunk_length[fresh] = CHUNK;
                    at = (long)fresh++ * CHUNK;
                }
                mine[s] = at + 1;
                dealt[at] = source | POSITION_OF(to);
#ifdef WEIGHTED
                dealt_share[at] = share[e];
#endif
            }
        }
        for (int s = 0; s < 2 * windows; s++)
            if (mine[s] & (CHUNK - 1)) chunk_length[mine[s] / CHUNK] = (int)(mine[s] & (CHUNK - 1));
        for (; fresh < region[k + 1]; fresh++)   // unused ones
            owner[fresh] = 2 * windows;
    }
}

// The sort key of a row: its length, descending; long rows first.
#define DIGITS (LONG_ROW + 2)
#define DIGIT(length, v) (hot_count[v] + cold_count[v] > LONG_ROW ? 0 : 1 + LONG_ROW - length[v])

// One pass of a stable sort of the positions from[first .. last - 1] by a length (from NULL: in ascending order).
static inline void sort_positions(int first, int last, __global const int *length, __global const int *hot_count,
                              __global const int *cold_count, __global const int *from, __global int *to)
{
    int begin[DIGITS];
    for (int d = 0; d < DIGITS; d++)
        begin[d] = 0;
    for (int v = first; v < last; v++)
        begin[DIGIT(length, v)]++;
    int before = first;
    for (int d = 0; d < DIGITS; d++) {
        const int here = begin[d];
        begin[d] = before;
        before += here;
    }
    for (int i = first; i < last; i++) {
        const int v = from ? from[i] : i;
        to[begin[DIGIT(length, v)]++] = v;
    }
}

// Lengths and numbers of the rows of each window. by_position: index; hot_count, cold_count: lengths by position;
// sorted, half_sorted: scratch. order[number] is the index, source_number[index] the number + 1.
__kernel void pagerank_deal_rows(const int windows, __global const int *restrict window_begin, CHUNKS,
                                 __global const int *restrict by_position, __global int *restrict hot_count,
                                 __global int *restrict cold_count, __global int *restrict half_sorted,
                                 __global int *restrict sorted, __global int *restrict number,
                                 __global int *restrict hot_length, __global int *restrict cold_length,
                                 __global int *restrict order, __global int *restrict source_number)
{
    const int w = get_global_id(0);
    if (w < windows) {
        const int first = window_begin[w], last = window_begin[w + 1];
        for (int v = first; v < last; v++)
            hot_count[v] = cold_count[v] = 0;
        FOR_DEALT(e, 2 * w) hot_count[first + POSITION_OF(dealt[e])]++;
        FOR_DEALT(e, 2 * w + 1) cold_count[first + POSITION_OF(dealt[e])]++;
        sort_positions(first, last, cold_count, hot_count, cold_count, 0, half_sorted);
        sort_positions(first, last, hot_count, hot_count, cold_count, half_sorted, sorted);
        for (int i = first; i < last; i++) {
            const int v = sorted[i];
            number[v] = i;
            order[i] = by_position[v];
            source_number[by_position[v]] = i + 1;
            hot_length[i] = hot_count[v];
            cold_length[i] = cold_count[v];
        }
    }
}
