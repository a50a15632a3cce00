// sampling/literature/listed_edges.cl: marks of the edges that a sample has, where these are not all among its vertices.
//
// mark    uint[(arcs + 3) / 4]: a byte for each arc of an undirected graph, 1 at both arcs of an edge of the sample
// live    uchar[n]: 1 for each vertex of the sample
// launch  padded ranges over what is listed of one run (`many` from `first` on), ITEMS consecutive entries per work-item

#include "csr/arcs.h"

#ifndef ITEM
#define ITEM int   // the place of an arc
#endif

// Several work-items may mark one byte.
static inline void set_byte(volatile __global uint *words, long at) { atomic_or(&words[at >> 2], 1u << (8 * (int)(at & 3))); }

// The vertices of the sample: the ends of the arcs listed.
__kernel void listed_ends(const int n, const long first, const long many,
                          __global const ITEM *restrict list,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          volatile __global uint *live)
{
    FOR_ITEMS_LONG(e, many) {
        set_byte(live, row_of(list[first + e], 0, n, row_ptr));
        set_byte(live, col_idx[list[first + e]]);
    }
}

// The edges of arcs that are listed (one of an edge's two or both), as far as their ends are in the sample.
__kernel void listed_arcs(const int n, const long first, const long many,
                          __global const ITEM *restrict list,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const uchar *restrict live, volatile __global uint *mark)
{
    FOR_ITEMS_LONG(e, many) {
        const long p = list[first + e];
        const int v = row_of(p, 0, n, row_ptr), u = col_idx[p];
        if (live[v] && live[u]) {
            set_byte(mark, p);
            // of copies that of the same rank
            set_byte(mark, place_of(row_ptr, col_idx, u, v) + (p - place_of(row_ptr, col_idx, v, u)));
        }
    }
}

// The edges to parents, of parallel ones the first.
__kernel void listed_tree(const long first, const long many, __global const int *restrict list, __global const int *restrict parent,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const uchar *restrict live, volatile __global uint *mark)
{
    FOR_ITEMS_LONG(e, many) {
        const int v = list[first + e], u = parent[first + e];
        if (u >= 0 && u != v && live[u]) {
            set_byte(mark, place_of(row_ptr, col_idx, v, u));
            set_byte(mark, place_of(row_ptr, col_idx, u, v));
        }
    }
}
