// csr/build_weights.cl: weights of arcs brought to where csr/build.cl or csr/build_buckets.cl has put the arcs.
//
// Each work-item looks its arcs up in their rows, by bisection. No arc may have a parallel one: then each place is
// written once.
//
// tail, head  int[count]      arcs, in the order of `weight`
// weight      ulong[count]    bits of float64, which are only moved
// placed      ulong[arcs]     by the arcs of the rows
// launch      padded range, ITEMS consecutive arcs per work-item

#include "csr/arcs.h"

__kernel void weights_place(const long count, const int mirror, __global const int *restrict tail,
                            __global const int *restrict head, __global const ulong *restrict weight,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global ulong *restrict placed)
{
    FOR_ITEMS_LONG(e, count) {
        placed[place_of(row_ptr, col_idx, tail[e], head[e])] = weight[e];
        if (mirror && tail[e] != head[e])
            placed[place_of(row_ptr, col_idx, head[e], tail[e])] = weight[e];
    }
}
