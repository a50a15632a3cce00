// measures/degrees.cl: how many vertices have each degree.
//
// row_ptr   OFFSET[n+1]    rows of a CSR
// count     uint[LIMIT]    vertices of degree d < LIMIT; zero before
// large     int[]          the other degrees, in any order: there are at most arcs / LIMIT of them
// found     uint[1]        how many; zero before
//
// launch    any number of work-groups. Small degrees, which most vertices have, are counted in local memory.
// tunables  BINS (of local memory), LIMIT

#include "measures/spread.h"

#ifndef OFFSET
#define OFFSET int
#endif
#ifndef BINS
#define BINS 256
#endif
#ifndef LIMIT
#define LIMIT 65536
#endif

__kernel void degrees_count(const int n, __global const OFFSET *restrict row_ptr, volatile __global uint *count,
                            __global int *restrict large, volatile __global uint *found)
{
    volatile __local uint few[BINS];
    for (uint b = get_local_id(0); b < BINS; b += get_local_size(0))
        few[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_SPREAD(v, n) {
        const OFFSET degree = row_ptr[v + 1] - row_ptr[v];
        if (degree < BINS)
            atomic_inc(&few[degree]);
        else if (degree < LIMIT)
            atomic_inc(&count[degree]);
        else
            large[atomic_inc(found)] = (int)degree;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < BINS; b += get_local_size(0))
        if (few[b])
            atomic_add(&count[b], few[b]);
}
