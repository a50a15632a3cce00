// sampling/literature/race.cl: the keys by which vertices and edges race to be drawn (rn, rdn, rpn; re, rne, hyb; ties;
// rnn). One key kernel; what is drawn is then a selection of the smallest keys (smallest.cl).
//
// The second dimension of a launch is the run: run r has the seed `seed` + r.
//
// key     ulong[runs * n] or [runs * arcs]: an edge's key is at both of its arcs, or once, and NONE at the other one
// tail, copy  int[arcs], uint[arcs]: of each arc its tail, and (COPIES) its rank among parallel ones
// degree  int[n], or NULL: not asked for (no ARCS)
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
__kernel void race_near(const int n, const int runs, __global const OFFSET *restrict row_ptr,
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

__kernel void race_degrees(const int n, __global const OFFSET *restrict row_ptr, __global int *restrict degree)
{
    FOR_ITEMS(v, n)
        degree[v] = (int)(row_ptr[v + 1] - row_ptr[v]);
}

#define CHUNK (ITEMS < 256 ? ITEMS : 256)
#if COPIES
#define COPY(p) copy[p]
#else
#define COPY(p) 0
#endif

// Each edge's key, at both of its arcs; with `once` only at that from its smaller end. Flat loops: compilers make vectors of
// them, and no long row holds others up. The heads' degrees are fetched for CHUNK arcs together, as many reads at a time.
__kernel void race_arcs(const long arcs, const int runs, const ulong seed, const long lg_arc, const long lg_edge,
                        __global const ulong *restrict table, __global const int *restrict degree,
                        __global const int *restrict col_idx, __global const int *restrict tail,
                        __global const uint *restrict copy, __global const ulong *restrict weight, const int once,
                        __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    const long first = min((long)get_global_id(0) * ITEMS, arcs), last = min(first + ITEMS, arcs);
    __global ulong *mine = key + run * arcs;
    for (long base = first; base < last; base += CHUNK) {
        const int many = (int)min((long)CHUNK, last - base);
#if ARCS
        int of_head[CHUNK];
        for (int i = 0; i < many; i++)
            of_head[i] = degree[col_idx[base + i]];
#endif
        for (int i = 0; i < many; i++) {
            const long p = base + i;
            const int v = tail[p], u = col_idx[p];
            ulong k = NONE, w = 1;
#if WEIGHT
            w = weight[p];
#endif
#if !NO_EDGES
            k = key_alone(seed + run, v, u, COPY(p), w, lg_edge, table);
#endif
#if ARCS
            k = min(k, key_by_end(seed + run, v, u, COPY(p), lg_arc, degree[v], table));
            k = min(k, key_by_end(seed + run, u, v, COPY(p), lg_arc, of_head[i], table));
#endif
            mine[p] = once && u < v ? NONE : k;
        }
    }
}

// The smallest key of each vertex's edges: when the vertex comes, if edges come by their keys and bring their ends.
__kernel void race_first(const int n, const int runs, __global const OFFSET *restrict row_ptr,
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

// The keys of one stratum; NONE elsewhere.
__kernel void race_stratum(const int n, const int runs, __global const int *restrict code, const int stratum,
                           __global const ulong *restrict key, __global ulong *restrict out)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n)
        out[(long)run * n + v] = code[v] == stratum ? key[(long)run * n + v] : NONE;
}
