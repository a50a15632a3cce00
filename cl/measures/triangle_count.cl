// measures/triangle_count.cl: how many triangles each vertex is in, by the forward algorithm (Schank, Wagner: Finding,
// Counting and Listing all Triangles in Large Graphs, WEA 2005).
//
// Every edge is directed from its end of smaller degree (of smaller index, if they are equal) to the other. A triangle
// then has one lowest corner u with arcs to both others, v and w, one of which has an arc to the other: it is found
// once, when the lists of u and v are intersected for the arc u -> v. No list is longer than the square root of twice
// the number of edges, so hubs cost no more than other vertices.
//
// row_ptr, col_idx   the graph: undirected, no loops, no parallel edges; rows ascend
// up_ptr, up_idx     the directed arcs, a CSR again; rows ascend
// count              ulong[n]   triangles at each vertex; zero before
//
// launch     padded range, one work-item per RUN arcs (csr/arcs.h)
// tunables   RUN; SKEW (measures/lists.h)

#include "csr/arcs.h"
#include "measures/lists.h"
#include "wide.h"

static inline int goes_up(const int u, const int v, __global const OFFSET *restrict row_ptr)
{
    const OFFSET at_u = row_ptr[u + 1] - row_ptr[u], at_v = row_ptr[v + 1] - row_ptr[v];
    return at_u < at_v || (at_u == at_v && u < v);
}

// Directed arcs in each run, and in each row.
__kernel void triangles_turn_count(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                                   __global const int *restrict col_idx, __global int *restrict in_run,
                                   volatile __global int *in_row)
{
    int u = -1, at_u = 0, all = 0;
    FOR_RUN(p, arcs) {
        const int row = row_after(p, u, n, row_ptr);
        if (row != u) {
            if (at_u)
                atomic_add(&in_row[u], at_u);   // a row may span several runs
            at_u = 0;
            u = row;
        }
        const int up = goes_up(u, col_idx[p], row_ptr);
        at_u += up;
        all += up;
    }
    if (at_u)
        atomic_add(&in_row[u], at_u);
    if ((long)get_global_id(0) * RUN < arcs)
        in_run[get_global_id(0)] = all;
}

// before: directed arcs in the runs before each run.
__kernel void triangles_turn(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                             __global const int *restrict col_idx, __global const OFFSET *restrict before,
                             __global int *restrict up_idx)
{
    int u = -1;
    OFFSET place = (long)get_global_id(0) * RUN < arcs ? before[get_global_id(0)] : 0;
    FOR_RUN(p, arcs) {
        u = row_after(p, u, n, row_ptr);
        if (goes_up(u, col_idx[p], row_ptr))
            up_idx[place++] = col_idx[p];
    }
}

// Size of the intersection of two lists, i..i_end the shorter; each vertex in it gets a triangle.
static inline uint meet(OFFSET i, const OFFSET i_end, OFFSET j, const OFFSET j_end, __global const int *restrict up_idx,
                        volatile __global ulong *count)
{
    uint met = 0;
    const int search = (j_end - j) / SKEW > i_end - i;
    while (i < i_end && j < j_end) {
        const int a = up_idx[i];
        if (search) {
            j = search_from(j, j_end, a, up_idx);
            if (j == j_end)
                break;
        }
        const int b = up_idx[j];
        if (a == b) {
            add_wide(&count[a], 1);
            met++;
        }
        i += a <= b;
        j += b <= a;
    }
    return met;
}

__kernel void triangles_count(const int n, const long arcs, __global const OFFSET *restrict up_ptr,
                              __global const int *restrict up_idx, volatile __global ulong *count)
{
    int u = -1;
    uint at_u = 0;   // below 2^32: RUN arcs times the longest list, 65536
    FOR_RUN(p, arcs) {
        const int row = row_after(p, u, n, up_ptr);
        if (row != u) {
            if (at_u)
                add_wide(&count[u], at_u);
            at_u = 0;
            u = row;
        }
        const int v = up_idx[p];
        const OFFSET i = up_ptr[u], i_end = up_ptr[u + 1], j = up_ptr[v], j_end = up_ptr[v + 1];
        const uint met = i_end - i < j_end - j ? meet(i, i_end, j, j_end, up_idx, count)
                                               : meet(j, j_end, i, i_end, up_idx, count);
        if (met)
            add_wide(&count[v], met);
        at_u += met;
    }
    if (at_u)
        add_wide(&count[u], at_u);
}
