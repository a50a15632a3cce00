// sampling/explore_order.cl: every row's neighbours in increasing number(seed, v, u), for depth-first exploration
// (edfs).
//
// The numbers are uniform, so a row of d arcs is distributed by the upper bits of its numbers to about d / SPREAD + 1
// buckets, and the few arcs of a bucket are sorted by insertion. The buckets of all rows form one list, row by row:
// one scan of their counts (csr/scan.cl) gives every bucket its position.
//
// buckets of row v    row_ptr[v] / SPREAD + v, up to those of row v + 1: at least one; `buckets` in all
// Of several runs, whose seeds follow each other, each has a part of these arrays:
// count   uint[buckets]        counted up by order_count, and down to 0 again by order_deal
// begin   OFFSET[buckets + 1]  where a bucket begins in `order`, all runs' (so there is one entry more at the end)
// order   int[arcs]            neighbours;  key uint[arcs]  the upper halves of their numbers
// step    OFFSET[2 arcs]       see sampling/explore_walk.cl
// launch  padded range x runs, RUN consecutive arcs or buckets per work-item (csr/arcs.h)
// tunables RUN, SPREAD

#include "keyed.h"
#include "csr/arcs.h"

#ifndef SPREAD
#define SPREAD 4
#endif

#define RUN_NUMBER (long)get_global_id(1)
#define SEED_OF_RUN (seed + get_global_id(1))

static inline long first_bucket(const int v, __global const OFFSET *restrict row_ptr)
{
    return row_ptr[v] / SPREAD + v;
}

static inline long bucket_of(const int v, const uint key, const long buckets, __global const OFFSET *restrict row_ptr)
{
    const long first = first_bucket(v, row_ptr);
    return RUN_NUMBER * buckets + first + mul_hi(key, (uint)(first_bucket(v + 1, row_ptr) - first));
}

__kernel void order_count(const int n, const long arcs, const long buckets, const ulong seed,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          volatile __global uint *count)
{
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        atomic_inc(&count[bucket_of(v, (uint)(arc_number(SEED_OF_RUN, v, col_idx[p]) >> 32), buckets, row_ptr)]);
    }
}

__kernel void order_deal(const int n, const long arcs, const long buckets, const ulong seed,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         volatile __global uint *count,
                         __global const OFFSET *restrict begin, __global int *restrict order,
                         __global uint *restrict key)
{
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        const int u = col_idx[p];
        const uint upper = (uint)(arc_number(SEED_OF_RUN, v, u) >> 32);
        const long b = bucket_of(v, upper, buckets, row_ptr);
        const OFFSET place = begin[b] + (OFFSET)(atomic_dec(&count[b]) - 1);
        order[place] = u;
        key[place] = upper;
    }
}

// Whether neighbour a of v comes after b, given the upper halves of their numbers.
static inline int is_after(const ulong seed, const int v, const int a, const uint key_a, const int b, const uint key_b)
{
    if (key_a != key_b)
        return key_a > key_b;
    const ulong number_a = arc_number(seed, v, a), number_b = arc_number(seed, v, b);
    return number_a > number_b || (number_a == number_b && a > b);
}

// The row whose buckets hold bucket b, by bisection.
static inline int row_of_bucket(const long b, const int n, __global const OFFSET *restrict row_ptr)
{
    int low = 0, high = n - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (first_bucket(middle + 1, row_ptr) <= b)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__kernel void order_sort(const int n, const long buckets, const ulong seed, __global const OFFSET *restrict row_ptr,
                         __global const OFFSET *restrict begin, __global int *restrict order,
                         __global uint *restrict key)
{
    int v = -1;
    begin += RUN_NUMBER * buckets;
    FOR_RUN(b, buckets) {
        if (v < 0)
            v = row_of_bucket(b, n, row_ptr);
        else if (b >= first_bucket(v + 1, row_ptr))
            v++;   // every row has at least one bucket
        for (OFFSET i = begin[b] + 1; i < begin[b + 1]; i++) {
            const int u = order[i];
            const uint mine = key[i];
            OFFSET k = i;
            for (; k > begin[b] && is_after(SEED_OF_RUN, v, order[k - 1], key[k - 1], u, mine); k--) {
                order[k] = order[k - 1];
                key[k] = key[k - 1];
            }
            order[k] = u;
            key[k] = mine;
        }
    }
}

// What a walk reads: each neighbour, the last one of a row as ~u, and where its own row begins.
__kernel void order_steps(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict order, __global OFFSET *restrict step)
{
    int v = -1;
    order += RUN_NUMBER * arcs;
    step += 2 * RUN_NUMBER * arcs;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        const int u = order[p];
        step[2 * (size_t)p] = p + 1 == (long)row_ptr[v + 1] ? ~u : u;
        step[2 * (size_t)p + 1] = row_ptr[u];
    }
}
