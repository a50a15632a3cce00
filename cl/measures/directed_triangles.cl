// measures/directed_triangles.cl: triangles of a directed graph, counted by the arcs that they consist of.
//
// Triangles are those of the undirected graph, found by the forward algorithm (measures/triangle_count.cl). A pair of
// neighbours is joined by one arc or by two, and a triangle counts at each of its vertices
// COUNT 1  the arcs between the other two vertices: for LDBC Graphalytics' local clustering coefficient
// COUNT 2  the product of the numbers of arcs of its three pairs: its directed triangles (Fagiolo, Phys. Rev. E 76, 2007),
//          for NetworkX's coefficient
//
// up_ptr, up_idx     the undirected graph's edges, each directed to its end of larger degree; rows ascend
// row_ptr, col_idx   the directed graph's arcs; rows ascend
// ways               uchar[]    of each of these edges: the arcs between its ends, 1 or 2
// mutual             int[n]     pairs with two arcs that each vertex is in; zero before
// count              ulong[n]   what was counted at each vertex; zero before
//
// launch     padded range, one work-item per RUN edges (csr/arcs.h)
// tunables   RUN; SKEW (lists.h)

#include "csr/arcs.h"
#include "lists.h"
#include "wide.h"

#ifndef COUNT
#define COUNT 1
#endif

static inline int has_arc(const int tail, const int head, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict col_idx)
{
    const OFFSET at = place_of(row_ptr, col_idx, tail, head);
    return at < row_ptr[tail + 1] && col_idx[at] == head;
}

__kernel void directed_ways(const int n, const long edges, __global const OFFSET *restrict up_ptr,
                            __global const int *restrict up_idx, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col_idx, __global uchar *restrict ways,
                            volatile __global int *mutual)
{
    int u = -1;
    FOR_RUN(p, edges) {
        u = row_after(p, u, n, up_ptr);
        const int v = up_idx[p], both = has_arc(u, v, row_ptr, col_idx) && has_arc(v, u, row_ptr, col_idx);
        ways[p] = (uchar)(1 + both);
        if (both) {
            atomic_inc(&mutual[u]);
            atomic_inc(&mutual[v]);
        }
    }
}

// Triangles over an edge with `way` arcs: of its ends, x has the list i, the shorter one, and y the list j. The third vertex
// gets its count; what x and y get is added up in at_x and at_y.
static inline void meet(OFFSET i, const OFFSET i_end, OFFSET j, const OFFSET j_end, const uint way,
                        __global const int *restrict up_idx, __global const uchar *restrict ways,
                        volatile __global ulong *count, uint *at_x, uint *at_y)
{
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
#if COUNT == 1
            add_wide(&count[a], way);
            *at_x += ways[j];
            *at_y += ways[i];
#else
            const uint all = way * ways[i] * ways[j];
            add_wide(&count[a], all);
            *at_x += all;
            *at_y += all;
#endif
        }
        i += a <= b;
        j += b <= a;
    }
}

__kernel void directed_count(const int n, const long edges, __global const OFFSET *restrict up_ptr,
                             __global const int *restrict up_idx, __global const uchar *restrict ways,
                             volatile __global ulong *count)
{
    int u = -1;
    uint at_u = 0;   // below 2^32: RUN edges times the longest list, 65536, times 8
    FOR_RUN(p, edges) {
        const int row = row_after(p, u, n, up_ptr);
        if (row != u) {
            if (at_u)
                add_wide(&count[u], at_u);
            at_u = 0;
            u = row;
        }
        const int v = up_idx[p];
        const OFFSET i = up_ptr[u], i_end = up_ptr[u + 1], j = up_ptr[v], j_end = up_ptr[v + 1];
        uint at_v = 0;
        if (i_end - i < j_end - j)
            meet(i, i_end, j, j_end, ways[p], up_idx, ways, count, &at_u, &at_v);
        else
            meet(j, j_end, i, i_end, ways[p], up_idx, ways, count, &at_v, &at_u);
        if (at_v)
            add_wide(&count[v], at_v);
    }
    if (at_u)
        add_wide(&count[u], at_u);
}
