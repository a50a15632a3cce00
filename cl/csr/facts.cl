// csr/facts.cl: what is asked of rows before anybody works on them: self-loops, parallel arcs, the longest row, the
// lengths of some; what the values beside arcs are like.
//
// row_ptr  OFFSET[n + 1], col_idx  int[arcs]   rows ascend, so equal heads are neighbours
// found    uint[2]     self-loops; arcs that repeat the one before; of facts_linked uint[1]: rows that are not empty; of
//          facts_twins uint[1]: arcs without a twin; of facts_differ uint[1]: 1 if anything differs; of facts_range int[2]
// values   double[arcs], beside the arcs; met  double[items][4]: what facts_weights finds
// launch   padded range, ITEMS consecutive vertices per work-item; facts_twins, facts_range and casts: RUN consecutive
//          arcs; facts_weights: RUN again and again

#include "csr/arcs.h"

__kernel void facts_count(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          volatile __global uint *found)
{
    uint loops = 0, copies = 0;
    FOR_ITEMS(v, n) {
        int last = -1;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
            loops += u == v;
            copies += u == last;
            last = u;
        }
    }
    if (loops)
        atomic_add(&found[0], loops);
    if (copies)
        atomic_add(&found[1], copies);
}

// found[0]: rows that are not empty.
__kernel void facts_linked(const int n, __global const OFFSET *restrict row_ptr, volatile __global uint *found)
{
    uint linked = 0;
    FOR_ITEMS(v, n)
        linked += row_ptr[v + 1] > row_ptr[v];
    if (linked)
        atomic_add(&found[0], linked);
}

// Which arcs do not repeat the one before.
__kernel void facts_distinct(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                             __global uchar *restrict distinct)
{
    FOR_ITEMS(v, n)
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            distinct[p] = p == row_ptr[v] || col_idx[p] != col_idx[p - 1];
}

// hub[0]: arcs of the longest row, from 0 on.
__kernel void facts_longest(const int n, __global const OFFSET *restrict row_ptr, volatile __global int *hub)
{
    int most = 0;
    FOR_ITEMS(v, n)
        most = max(most, (int)(row_ptr[v + 1] - row_ptr[v]));
    // stale is harmless: the word only grows, and most work-items need not touch it
    if (most > SHARED_LOAD(hub))
        atomic_max(hub, most);
}

// hub[1]: the first vertex with so many, from n on.
__kernel void facts_first(const int n, __global const OFFSET *restrict row_ptr, volatile __global int *hub)
{
    const int most = hub[0];
    FOR_ITEMS(v, n)
        if ((int)(row_ptr[v + 1] - row_ptr[v]) == most) {
            atomic_min(&hub[1], v);
            break;
        }
}

__kernel void facts_lengths(const int count, __global const int *restrict listed,
                            __global const OFFSET *restrict row_ptr, __global int *restrict length)
{
    FOR_ITEMS(i, count)
        length[i] = (int)(row_ptr[listed[i] + 1] - row_ptr[listed[i]]);
}

// Arcs u -> v without an arc v -> u of the same weight. No arc has a copy.
__kernel void facts_twins(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict col_idx, __global const ulong *restrict weight,
                          volatile __global uint *found)
{
    uint single = 0;
    int u = -1;
    FOR_RUN(p, arcs) {
        u = row_after(p, u, n, row_ptr);
        const int v = col_idx[p];
        const OFFSET q = place_of(row_ptr, col_idx, v, u);
        single += q >= row_ptr[v + 1] || col_idx[q] != u || weight[q] != weight[p];
    }
    if (single)
        atomic_add(found, single);
}

// found: 1 where two arrays differ.
__kernel void facts_differ(const long count, __global const int *restrict one, __global const int *restrict other,
                           volatile __global uint *found)
{
    uint differ = 0;
    FOR_ITEMS_LONG(i, count)
        differ |= one[i] != other[i];
    if (differ)
        atomic_or(found, differ);
}

// found[0], found[1]: the smallest and the largest of some values.
__kernel void facts_range(const long count, __global const int *restrict values, volatile __global int *found)
{
    int low = 0x7fffffff, high = -0x7fffffff;
    FOR_RUN(i, count) {
        low = min(low, values[i]);
        high = max(high, values[i]);
    }
    // stale is harmless: these words only fall and grow, and most work-items need not touch them
    if (low < SHARED_LOAD(&found[0]))
        atomic_min(&found[0], low);
    if (high > SHARED_LOAD(&found[1]))
        atomic_max(&found[1], high);
}

#ifdef HAVE_FP64
// Of the values that each of the work-items meets, the least, the largest, the sum, and how odd they are: 0: all are whole; 1: one
// is not; 2: one is NaN, and the rest says nothing.
__kernel void facts_weights(const long count, const int items, __global const double *restrict values,
                            __global double *restrict met)
{
    const long item = get_global_id(0);
    if (item >= items)
        return;
    double least = INFINITY, largest = -INFINITY, sum = 0;
    int odd = 0;
    for (long begin = item * RUN; begin < count; begin += (long)items * RUN)
        for (long p = begin; p < min(begin + RUN, count); p++) {
            const double x = values[p];
            least = min(least, x);
            largest = max(largest, x);
            sum += x;
            odd = max(odd, isnan(x) ? 2 : (int)(x != floor(x)));
        }
    met[4 * item] = least;
    met[4 * item + 1] = largest;
    met[4 * item + 2] = sum;
    met[4 * item + 3] = odd;
}

#define CAST(to)                                                                                                        \
    __kernel void facts_to_##to(const long count, __global const double *restrict values, __global to *restrict result) \
    {                                                                                                                   \
        FOR_RUN(p, count)                                                                                               \
            result[p] = (to)values[p];                                                                                  \
    }
CAST(uint)
CAST(float)
#endif
