// sampling/literature/guides.h: the arc of a weighted row in whose share a number lies, by bisection or with a guide table.
//
// limit   ulong[arcs]: where an arc's share of its row ends, in 2^-62 (of cnarw in whole numbers)
// shares  ulong[2 * arcs]: of each arc its limit; then its guide in the lower half, and its head in the upper half. All that a
//         step reads of a short row is in one or two cache lines
// guide   of g-th of as many equal parts of [0, 2^62) as the row has arcs: the place of the share in which the part begins
//         (guide tables: Chen, Asau 1974). A part has one share's end on average, so that the search between a part's guide
//         and the next one's takes O(1) steps in expectation, whatever the weights are

// Place in a row of the arc in whose share x lies: its end is the first above x, and the last one is above all.
static inline int share_of(ulong x, OFFSET begin, int d, __global const ulong *limit)
{
    int low = 0, high = d - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (limit[begin + middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The part of a row of d arcs in which x lies.
static inline int part_of(ulong x, int d) { return (int)mul_hi(x << 2, (ulong)d); }

// Where part g begins, rounded down.
static inline ulong part_begin(int g, int d)
{
    const ulong each = (1UL << 62) / (ulong)d, rest = (1UL << 62) - each * (ulong)d;
    return each * (ulong)g + rest * (ulong)g / (ulong)d;
}

// shares: of a row, from its first arc on
static inline int guide_of(int g, __global const ulong *shares) { return (int)(uint)shares[2 * (long)g + 1]; }
static inline int head_of(int j, __global const ulong *shares) { return (int)(shares[2 * (long)j + 1] >> 32); }
static inline ulong limit_of(int j, __global const ulong *shares) { return shares[2 * (long)j]; }

// As share_of, with the guide.
static inline int guided(ulong x, int d, __global const ulong *shares)
{
    const int g = part_of(x, d);
    int low = guide_of(g, shares);
    for (int k = 0; k < 4; k++, low++)   // mostly it is here, and the next part's guide need not be read
        if (limit_of(low, shares) > x) return low;
    int high = g + 1 < d ? guide_of(g + 1, shares) : d - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (limit_of(middle, shares) <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}
