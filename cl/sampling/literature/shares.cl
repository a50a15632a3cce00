// sampling/literature/shares.cl: the shares by which a common-neighbour-aware walk (cnarw) goes from v to u:
// 1 - C(v, u) / min(d(v), d(u)), C common neighbours (Li, Wu, Lin, Xie, Lv, Xu, Lui: ICDE 2019).
//
// limit   ulong[arcs]: running sums of the shares of a row, in 2^-32; at least 1 each (0 only occurs along arcs)
// total   ulong[n]: the sum of each row
// launch  padded range, ITEMS consecutive vertices per work-item; each looks its neighbours up in the other's row

#include "sampling/literature/chordal.h"

// Different vertices that are in both rows; the shorter one is gone through.
static inline int common(OFFSET a, OFFSET a_end, OFFSET b, OFFSET b_end, __global const int *col_idx)
{
    const int swapped = a_end - a > b_end - b;
    const OFFSET begin = swapped ? b : a, end = swapped ? b_end : a_end, other = swapped ? a : b;
    int count = 0;
    for (OFFSET p = begin; p < end; p++)
        if (p == begin || col_idx[p] != col_idx[p - 1])
            count += holds(col_idx + other, (int)((swapped ? a_end : b_end) - other), col_idx[p]);
    return count;
}

__kernel void shares_sum(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global ulong *restrict limit, __global ulong *restrict total)
{
    FOR_ITEMS(v, n) {
        const OFFSET begin = row_ptr[v], end = row_ptr[v + 1];
        ulong sum = 0;
        for (OFFSET p = begin; p < end; p++) {
            const OFFSET other = row_ptr[col_idx[p]], other_end = row_ptr[col_idx[p] + 1];
            const ulong least = (ulong)max((OFFSET)1, min(end - begin, other_end - other));
            const ulong both = min((ulong)common(begin, end, other, other_end, col_idx), least);
            sum += max(1UL, ((least - both) << 32) / least);
            limit[p] = sum;
        }
        total[v] = sum;
    }
}
