// traversal/search_pull.cl (pipelines): one level of breadth-first search from bitmaps (layout:
// cl/traversal/search_pull.cl).
//
// The frontier's bitmap is on chip if it fits (LOCAL_WORDS). Then nothing is read at random: the rows of the unvisited
// vertices stream in, and UNROLL heads per cycle are looked up on chip (the compiler makes as many copies of the
// bitmap as the lookups need ports). A row belongs to one vertex, so that no two iterations write to one word.
//
// per cycle   UNROLL vertices to find the unvisited ones' rows, then up to UNROLL arcs of one row
// bound by    at least one cycle per vertex; if the bitmap does not fit, a random read per arc, or search_partitions.cl
// EARLY_OUT   1: the rest of a row is skipped after its first hit, at the cost of waiting for that hit
// There are no pieces of long rows, and so no bfs_pull_rest.

#include "fpga/pipeline.h"
#include "fpga/rows.h"
#include "fpga/traversal/reach.h"

#define IN_FRONT(p) BIT(fits ? here[col_idx[p] >> 5] : front[col_idx[p] >> 5], col_idx[p])

PIPELINE void bfs_pull(const int n, const uint level, __global const OFFSET *restrict row_ptr,
                       __global const int *restrict col_idx, __global const uint *restrict front,
                       __global uint *restrict next, __global uint *restrict visited, __global uint *restrict rest,
                       __global uint *restrict distance, __global uint *restrict predecessor,
                       __global uint *restrict owner, __global uint *restrict state)
{
    __local uint here[LOCAL_WORDS];
    PULL;
    const int count = (n >> 5) + ((n & 31) != 0), fits = count <= LOCAL_WORDS;
    if (fits)
        FOR_STREAM(i, count)
            here[i] = front[i];
    PULL_ROWS(0, n, 0, 0, row_ptr[n], IN_FRONT)
    state[SLOT(level + 1) + COUNT] += found;
    clear_slot(state, level + 2);
}
