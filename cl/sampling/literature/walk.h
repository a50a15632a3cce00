// sampling/literature/walk.h: how a step chooses among the arcs of a row, by weights see guides.h; after clock.h.

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

// --- node2vec: from t over v on to x ---

#ifndef SYMMETRIC
#define SYMMETRIC 0
#endif
#define ATTEMPTS 64   // part of the definition: then one exact draw

// The largest coins by which x is taken: where it is t, where t has an arc to it, and where it has none.
typedef struct {
    ulong back, near, far;
} Biases;

// Whether there is an arc from t to x; where all arcs have their reverse, the shorter of the two rows is searched.
static inline int joined(int t, int x, __global const OFFSET *row_ptr, __global const int *col_idx)
{
    OFFSET begin = row_ptr[t];
    int d = degree(t, row_ptr), wanted = x;
#if SYMMETRIC
    const int other = degree(x, row_ptr);
    if (other < d) {
        begin = row_ptr[x];
        d = other;
        wanted = t;
    }
#endif
    const int at = place_of(wanted, begin, d, col_idx);
    return at < d && col_idx[begin + at] == wanted;
}

static inline ulong bias_of(int t, int x, Biases biases, __global const OFFSET *row_ptr, __global const int *col_idx)
{
    return x == t ? biases.back : joined(t, x, row_ptr, col_idx) ? biases.near : biases.far;
}

// Whether the coin b takes x. Most coins decide without a search.
static inline int accepted(ulong b, int t, int x, Biases biases, __global const OFFSET *row_ptr,
                           __global const int *col_idx)
{
    if (x == t) return b <= biases.back;
    if (b <= min(biases.near, biases.far)) return 1;
    return b <= max(biases.near, biases.far) && b <= bias_of(t, x, biases, row_ptr, col_idx);
}

// What the j-th arc of a row counts in the exact draw: its weight times its bias. Limits go up to 2^62, and biases of rows
// without weights count in 2^-33: no sum overflows.
static inline ulong count_of(int j, int t, OFFSET begin, __global const ulong *shares, Biases biases,
                             __global const OFFSET *row_ptr, __global const int *col_idx)
{
    const ulong bias = bias_of(t, col_idx[begin + j], biases, row_ptr, col_idx);
    if (!shares) return (bias >> 31) + 1;
    return mul_hi(limit_of(j, shares) - (j ? limit_of(j - 1, shares) : 0), bias);
}

// The place that a picks of a row by weight and bias; shares are the row's, or NULL.
static inline int biased_place(ulong a, int t, OFFSET begin, int d, __global const ulong *shares, Biases biases,
                               __global const OFFSET *row_ptr, __global const int *col_idx)
{
    ulong sum = 0;
    for (int j = 0; j < d; j++)
        sum += count_of(j, t, begin, shares, biases, row_ptr, col_idx);
    ulong x = mul_hi(a, sum);   // below the sum, which is not 0
    for (int j = 0;; j++) {
        const ulong count = count_of(j, t, begin, shares, biases, row_ptr, col_idx);
        if (x < count) return j;
        x -= count;
    }
}

// --- cnrw ---

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
