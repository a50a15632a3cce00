// measures/hops.cl: how many pairs (search, vertex) lie at each distance in each of several graphs, counted from the
// planes of traversal/many.h without turning them into distances.
//
// begin          int[graphs + 1]   where each graph's rows begin (measures/spread.h)
// seen, planes   as in traversal/many.h; `rows` vertices have a row
// count          ulong[graphs][LEVELS]   pairs at distance first, first + 1, ...; added to the values already there
//
// launch         any number of work-groups for each graph
// tunables       LANES, LEVELS (distances per launch)

#include "traversal/many.h"
#include "measures/spread.h"
#include "wide.h"

#ifndef LEVELS
#define LEVELS 16
#endif

__kernel void hops_count(__global const int *restrict begin, const int rows, const uint bits, const uint first,
                         const uint levels, __global const BITS *restrict seen, __global const BITS *restrict planes,
                         volatile __global ulong *count)
{
    volatile __local uint sum[LEVELS];
    for (uint l = get_local_id(0); l < LEVELS; l += get_local_size(0))
        sum[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint mine[LEVELS];
    for (uint l = 0; l < LEVELS; l++)
        mine[l] = 0;
    FOR_SPREAD(v, begin[get_global_id(1)], begin[get_global_id(1) + 1]) {
        BITS left = seen[v];   // searches whose distance is none of those counted
        for (uint l = 0; l < LEVELS && l < levels && left; l++) {
            BITS here = left;
            for (uint b = 0; b < bits; b++) {
                const BITS plane = planes[(size_t)b * rows + v];
                here &= (first + l) >> b & 1 ? plane : ~plane;
            }
            mine[l] += (uint)popcount(here);
            left &= ~here;
        }
    }
    // 32 bits suffice: the launch is so wide that no work-group counts 2^32 pairs at one distance
    for (uint l = 0; l < LEVELS; l++)
        if (mine[l])
            atomic_add(&sum[l], mine[l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint l = get_local_id(0); l < LEVELS; l += get_local_size(0))
        if (sum[l])
            add_wide(&count[get_global_id(1) * LEVELS + l], sum[l]);
}
