// sampling/literature/walk.h: how a step chooses among the arcs of a row; after clock.h.

#ifndef OFFSET
#define OFFSET int
#endif

// Number of the arc of a row in whose share x lies: its end is the first above x.
static inline int share_of(ulong x, OFFSET begin, int d, __global const ulong *limit)
{
    int low = 0, high = d - 1;   // the last limit is above all
    while (low < high) {
        const int middle = (low + high) / 2;
        if (limit[begin + middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Place of the first entry of a row that is not below v.
static inline int place_of(int v, OFFSET begin, int d, __global const int *col_idx)
{
    int low = 0, high = d;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (col_idx[begin + middle] < v) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The place that a picks of a row without v's, if v is there and something else too; -1: it is not, or alone.
static inline int place_besides(int v, ulong a, OFFSET begin, int d, __global const int *col_idx)
{
    const int at = v < 0 || d < 2 ? d : place_of(v, begin, d, col_idx);
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

// The place of the rank-th smallest of d numbers that belong to (arc, turn): four more bits of it at a time.
static inline int circulated(ulong seed, uint arc, uint turn, uint tag, int rank, int d)
{
    ulong low = 0;
    int place = 0;
    for (int shift = 60; shift >= 0; shift -= 4) {
        int count[16];
        for (int i = 0; i < 16; i++)
            count[i] = 0;
        for (int j = 0; j < d; j++) {
            const ulong x = keyed_a(keyed_words(seed, arc, turn, (uint)j, tag));
            if (x >= low && ((x - low) >> shift) < 16) count[(int)((x - low) >> shift)]++;
        }
        int bin = 0;
        while (bin < 15 && rank >= count[bin])
            rank -= count[bin++];
        low += (ulong)bin << shift;
        if (count[bin] == 1 || shift == 0) {
            for (int j = 0; j < d; j++) {
                const ulong x = keyed_a(keyed_words(seed, arc, turn, (uint)j, tag));
                if (x >= low && ((x - low) >> shift) < 1 && rank-- == 0) place = j;
            }
            return place;
        }
    }
    return place;
}
