// traversal/renumber.cl: a graph's arcs with the vertices numbered by decreasing degree, for bfs_many on CPUs.
//
// Most arcs of a skewed graph lead to few vertices. With these first, what a pull gathers lies in the inner caches, a
// row begins with the neighbours most likely to complete it, and vertices without arcs come last.
//
// order         int[n]       the vertex at this position
// position      int[n]       its inverse: the position of each vertex
// new_ptr       OFFSET[n+1]  rows by position; vertices with arcs are the first `rows`
// new_idx       int[arcs]    neighbours' positions; a row ascends by class (below), within a class in any order
//
// launch        FOR_ROWS of traversal/many.h: any number of work-items
// tunables      SHORT (rows of at most this many arcs are sorted by insertion)

#include "traversal/many.h"

#ifndef SHORT
#define SHORT 16
#endif
#define CLASSES 32

// A class is a power of two: finer ones do not make a search faster, and take longer to compute.
inline uint class_of(const uint position)
{
    return 31 - clz(position | 1);
}

__kernel void bfs_many_renumber(const int rows, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col_idx, __global const int *restrict order,
                            __global const int *restrict position, __global const OFFSET *restrict new_ptr,
                            __global int *restrict new_idx)
{
    uint place[CLASSES];
    FOR_ROWS(v, rows) {
        const OFFSET begin = row_ptr[order[v]], end = row_ptr[order[v] + 1];
        __global int *out = new_idx + new_ptr[v];
        if (end - begin <= SHORT) {
            for (OFFSET e = begin; e < end; e++) {
                const int r = position[col_idx[e]];
                OFFSET k = e - begin;
                for (; k > 0 && out[k - 1] > r; k--)
                    out[k] = out[k - 1];
                out[k] = r;
            }
            continue;
        }
        for (uint c = 0; c < CLASSES; c++)
            place[c] = 0;
        for (OFFSET e = begin; e < end; e++)
            place[class_of(position[col_idx[e]])]++;
        for (uint c = 0, before = 0; c < CLASSES; c++) {
            const uint here = place[c];
            place[c] = before;
            before += here;
        }
        for (OFFSET e = begin; e < end; e++) {
            const uint r = position[col_idx[e]];
            out[place[class_of(r)]++] = r;
        }
    }
}
