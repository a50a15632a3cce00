// sampling/literature/walk.h: how a step chooses among the arcs of a row, by weights see guides.h; after clock.h.

#include "lists.h"

// The place that a picks of a row without v's, if v is there and something else too; -1: it is not, or alone.
static inline int place_besides(int v, ulong a, OFFSET begin, int d, __global const int *col_idx)
{
    if (v < 0 || d < 2) return -1;
    const int at = (int)(search_from(begin, begin + d, v, col_idx) - begin);
    if (at == d || col_idx[begin + at] != v) return -1;
    const int j = (int)mul_hi(a, (ulong)(d - 1));
    return j + (j >= at);
}

static inline int degree(int v, __global const OFFSET *row_ptr)
{
    return (int)(row_ptr[v + 1] - row_ptr[v]);
}

// Whether b falls so that something of probability 2^-(gap alpha) happens, alpha in 2^-32; gap >= 0 is in 2^-40.
static inline int falls(ulong b, long gap, ulong alpha, TABLE table)
{
    return clock_of(b, table) >= ((ulong)(gap >> 16) * alpha) >> 16;
}

#ifdef KIND_GPU
#define AT_ONCE 1
#else
#define AT_ONCE 16   // numbers of which vectors are made
#endif
#define KEPT 64

// The place of the smallest of d numbers that belong to (arc, turn), of equal ones the first.
static inline int smallest_of(ulong seed, uint arc, uint turn, uint tag, int d)
{
    ulong least = NONE;
    int found = 0;
    for (int base = 0; base < d; base += AT_ONCE) {
        ulong x[AT_ONCE], low = NONE;
        for (int k = 0; k < AT_ONCE; k++) {
            const ulong a = keyed_a(keyed_words(seed, arc, turn, (uint)(base + k), tag));
            x[k] = base + k < d ? a : NONE;
            low = min(low, x[k]);
        }
        if (low < least) {
            least = low;
            for (found = base; x[found - base] != low;)
                found++;
        }
    }
    return found;
}

// The place of the rank-th smallest of them. The numbers between two bounds are kept, where it is expected; if it is not
// there, or too many are, the bounds move.
static inline int circulated(ulong seed, uint arc, uint turn, uint tag, int rank, int d)
{
    if (rank == 0) return smallest_of(seed, arc, turn, tag, d);   // most arcs are entered once
    ulong low = 0, high = NONE;                                   // it is not outside
    const ulong step = NONE / (ulong)d;
    const int width = 4 << ((32 - (int)clz((uint)rank + 4)) / 2);
    ulong begin = rank < width ? 0 : (ulong)(rank - width) * step;
    ulong end = rank + width >= d ? NONE : (ulong)(rank + width) * step;
    ulong kept[KEPT];
    int place[KEPT];
    for (;;) {
        int below = 0, many = 0;
        for (int base = 0; base < d; base += AT_ONCE) {
            ulong x[AT_ONCE];
            int some = 0;
            for (int k = 0; k < AT_ONCE; k++) {
                x[k] = keyed_a(keyed_words(seed, arc, turn, (uint)(base + k), tag));
                some |= x[k] <= end;
            }
            for (int k = 0; some && k < AT_ONCE && base + k < d; k++) {
                below += x[k] < begin;
                if (x[k] >= begin && x[k] <= end && many++ < KEPT) {
                    kept[many - 1] = x[k];
                    place[many - 1] = base + k;
                }
            }
        }
        if (rank < below) high = begin - 1;
        else if (rank >= below + many) low = end + 1;
        else if (many <= KEPT || begin == end) {
            many = min(many, KEPT);
            for (;; below++) {   // the smallest goes, again and again
                int at = 0;
                for (int i = 1; i < many; i++)
                    if (kept[i] < kept[at]) at = i;
                if (below == rank) return place[at];
                many--;
                for (int i = at; i < many; i++) {
                    kept[i] = kept[i + 1];
                    place[i] = place[i + 1];
                }
            }
        }
        else {
            low = begin;
            high = end;
        }
        begin = low;
        end = low + (high - low) / 2;
    }
}
