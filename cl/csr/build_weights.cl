// csr/build_weights.cl: weights of arcs brought to where csr/build.cl or csr/build_buckets.cl has put the arcs.
//
// Each work-item looks its arcs up in their rows, by bisection. weights_place: no arc may have a parallel one, then each
// place is written once. weights_lightest: of parallel arcs the lightest counts. The bits of floats from 0 on ascend as
// the floats do, so that a minimum of integers finds it; weights_widen makes them float64.
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

// weight      uint[count]     bits of float32, none negative
// least       uint[arcs]      filled with ones before
__kernel void weights_lightest(const long count, const int mirror, __global const int *restrict tail,
                               __global const int *restrict head, __global const uint *restrict weight,
                               __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                               __global uint *restrict least)
{
    FOR_ITEMS_LONG(e, count) {
        if (tail[e] == head[e])
            continue;
        atomic_min(&least[place_of(row_ptr, col_idx, tail[e], head[e])], weight[e]);
        if (mirror)
            atomic_min(&least[place_of(row_ptr, col_idx, head[e], tail[e])], weight[e]);
    }
}

// By integers, as devices may lack float64. Below the least normal number, which no weight of a list is, 0 is put.
__kernel void weights_widen(const long arcs, __global const uint *restrict least, __global ulong *restrict placed)
{
    FOR_ITEMS_LONG(p, arcs) {
        const uint bits = least[p];
        placed[p] = bits >> 23 ? ((ulong)((bits >> 23) + 1023 - 127) << 52) | ((ulong)(bits & 0x7fffff) << 29) : 0;
    }
}
