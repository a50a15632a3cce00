// sampling/literature/node2vec.h: steps of second order, from t over v on to x (Grover, Leskovec: KDD 2016); after walk.h.
//
// SYMMETRIC   1: every arc has its reverse

#ifndef SYMMETRIC
#define SYMMETRIC 0
#endif

// The attempts before an exact draw, which looks at each arc of the row twice: on a longer row more of them are worth while.
// They are part of the definition.
static inline uint attempts_of(int d) { return (uint)clamp(2L * d, 64L, 1L << 20); }

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
    const OFFSET end = begin + d, at = search_from(begin, end, wanted, col_idx);
    return at < end && col_idx[at] == wanted;
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
