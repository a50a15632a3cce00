// sampling/literature/race.cl: the keys by which vertices and edges race to be drawn (rn, rdn, rpn; re, rne, hyb; ties;
// rnn). One key kernel; what is drawn is then a selection of the smallest keys (smallest.cl).
//
// The second dimension of a launch is the run: run r has the seed `seed` + r.
//
// key     ulong[runs * n] or [runs * arcs]: an edge's key is at both of its arcs, or once, and NONE at the other one
// tail, copy  int[arcs], uint[arcs]: of each arc its tail, and (COPIES) its rank among parallel ones
// table   of clock.h
// weight  ulong[n] or ulong[arcs]: integer weights, 0: never drawn
// launch  padded range of vertices or arcs, ITEMS consecutive ones per work-item; by runs (`runs`: how many, for pipelines)
// variants    WEIGHT: 0 all equal, 1 degrees, 2 given. Edges are drawn by themselves (weight 2^(lg_edge)), unless NO_EDGES;
//             with ARCS by their ends, too (both arcs have keys of weight 2^(lg_arc) / d(tail)): by whichever is first

#include "keyed.h"
#include "sampling/literature/clock.h"

#include "sampling/literature/race.h"

__kernel void race_vertices(const int n, const int runs, const ulong seed, __global const ulong *restrict table,
                            __global const OFFSET *restrict row_ptr, __global const ulong *restrict weight,
                            __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n) {
        const ulong w = WEIGHT == 2 ? weight[v] : WEIGHT == 1 ? (ulong)(row_ptr[v + 1] - row_ptr[v]) : 1;
        ulong k = NONE;
        if (w)
            k = race_key(keyed_words(seed + run, v, 0, 0, TAG_VERTEX), WEIGHT ? lg(w, table) : 0, table);
        key[(long)run * n + v] = k;
    }
}

// Vertex priorities as keys: the order of the centres of rnn.
__kernel void race_priorities(const int n, const int runs, const ulong seed, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n)
        key[(long)run * n + v] = vertex_priority(seed + run, v);
}

// The smallest priority in each vertex's closed neighbourhood: when it comes with one of the centres of rnn.
__kernel void race_near(const int n, const int runs, const ulong unused, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global const ulong *restrict priority,
                        __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    __global const ulong *mine = priority + (long)run * n;
    FOR_ITEMS(v, n) {
        ulong least = mine[v];
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            least = min(least, mine[col_idx[p]]);
        key[(long)run * n + v] = least;
    }
}

// Where the first centre's neighbourhood alone is too large: the centre first, then its neighbours by their own
// priorities, and nobody else. cut: the first centre's priority, or 0 in runs that stay as they are.
__kernel void race_alone(const int n, const int runs, const ulong seed, __global const ulong *restrict cut, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    const ulong centre = cut[run];
    FOR_ITEMS(v, n)
        if (centre) {
            const ulong own = vertex_priority(seed + run, v);
            key[(long)run * n + v] = key[(long)run * n + v] != centre ? NONE : own == centre ? 0 : own;
        }
}

// The tail of each arc, and its rank among parallel ones where `copy` is not NULL.
__kernel void race_tails(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global int *restrict tail, __global uint *restrict copy)
{
    FOR_ITEMS(v, n)
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            tail[p] = v;
#if COPIES
            copy[p] = p > row_ptr[v] && col_idx[p] == col_idx[p - 1] ? copy[p - 1] + 1 : 0;
#endif
        }
}

// Each edge's key, at both of its arcs. One flat loop: compilers make vectors of it, and no long row holds others up.
__kernel void race_arcs(const long arcs, const int runs, const ulong seed, const long lg_arc, const long lg_edge,
                        __global const ulong *restrict table, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global const int *restrict tail,
                        __global const uint *restrict copy, __global const ulong *restrict weight,
                        __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS_LONG(p, arcs) {
        uint rank = 0;
        ulong w = 1;
#if COPIES
        rank = copy[p];
#endif
#if WEIGHT
        w = weight[p];
#endif
        key[run * arcs + p] = edge_key(seed + run, tail[p], col_idx[p], rank, w, lg_arc, lg_edge, row_ptr, table);
    }
}

// The smallest key of each vertex's edges: when the vertex comes, if edges come by their keys and bring their ends.
__kernel void race_first(const int n, const int runs, const ulong unused, __global const OFFSET *restrict row_ptr,
                         __global const ulong *restrict key, __global ulong *restrict first)
{
    const int run = (int)get_global_id(1);
    const long base = (long)run * row_ptr[n];
    FOR_ITEMS(v, n) {
        ulong least = NONE;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            least = min(least, key[base + p]);
        first[(long)run * n + v] = least;
    }
}

// Each edge once: at the arc from its smaller end.
__kernel void race_once(const long arcs, const int runs, const ulong unused, __global const int *restrict col_idx,
                        __global const int *restrict tail, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS_LONG(p, arcs)
        if (col_idx[p] < tail[p]) key[run * arcs + p] = NONE;
}

// The keys of one stratum; NONE elsewhere.
__kernel void race_stratum(const int n, const int runs, const ulong unused, __global const int *restrict code, const int stratum,
                           __global const ulong *restrict key, __global ulong *restrict out)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n)
        out[(long)run * n + v] = code[v] == stratum ? key[(long)run * n + v] : NONE;
}
