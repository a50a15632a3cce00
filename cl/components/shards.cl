// components/shards.cl: components of a graph that comes in shards: rows joined one after the other, labels merged.
//
// label   int[n]   label[v] <= v; a root has label[r] == r; joined vertices have one root (see components/finder.h);
//                  components_compress of components/finder.cl comes after each kernel
// launch           shard_join: a work-item takes RUN consecutive entries of the shard and finds the first one's row by
//                  binary search; the others: padded ranges, ITEMS consecutive vertices each
// tunables         RUN, ITEMS; OFFSET: type of row_ptr

#ifdef CHECK_RACES
#define restrict   // Oclgrind lacks what LLVM makes of restrict in a function that is inlined into a loop
#endif

#include "components/finder.h"
#include "csr/arcs.h"

__kernel void shard_start(const int n, __global int *restrict label)
{
    FOR_ITEMS(v, n)
        label[v] = v;
}

__kernel void shard_join(const int rows, const int first_row, const long entries,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global int *label)
{
    FOR_ROW_PARTS(row, p, stop, rows, entries)
        if (p < stop)
            join_slots(label, (int)(first_row + row), (OFFSET)p, 1, (OFFSET)stop, col_idx);
}

// Joins what another rank's labels join.
__kernel void shard_merge(const int n, __global const int *restrict other, __global int *label)
{
    FOR_ITEMS(v, n)
        join(label, v, other[v]);
}
