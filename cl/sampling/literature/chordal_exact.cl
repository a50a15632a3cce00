// sampling/literature/chordal_exact.cl: maximal chordal subgraphs by growing cliques (Dearing, Shier, Warner 1988), of a
// whole graph (chordal, mode "exact") or of each of its parts (quasi-chordal); and the edges between parts that stay.
//
// Again and again the vertex v of largest clique C(v), ties by priority, is taken with edges to its clique, and joins the
// clique of each neighbour u that is not taken and has C(u) within C(v). A part is a chain: a work-item goes through it.
//
// order   int[runs n]       rank by priority (smaller: first); its order within a run counts
// part    int[runs n]       of each vertex, or NULL: all are one part
// first   long[runs parts + 1]   where each part begins in `heap`
// heap    int[runs n]       vertices of a part that are not taken, the next one at the top; in the beginning by priority
// left    int[runs parts]   how many
// place   int[runs n]       of each vertex in its heap; -1: taken
// clique, size  int[runs arcs], int[runs n]   vertices of its clique in the order in which they were taken, and how many
// came    int[runs n]       when each vertex was taken
// mark    uchar[runs arcs]  1 for arcs in a chordal subgraph, of both directions
// label   int[n]            smallest vertex of each vertex's component; least int[runs n]: at it the smallest order, else NOBODY
// level   int[runs n]       by which breadth-first parts are cut; FAR: not reached yet
// launch  chordal_take: a part per work-item, `acts` vertices each at most; the others: padded range of vertices, by runs

#include "csr/arcs.h"
#include "keyed.h"
#include "sampling/literature/clock.h"
#include "sampling/literature/chordal.h"

__kernel void chordal_begin(const long parts, __global const long *restrict first, __global const int *restrict item,
                            const int n, __global int *restrict heap, __global int *restrict place,
                            __global int *restrict left)
{
    FOR_ITEMS_LONG(j, parts) {
        for (long i = first[j]; i < first[j + 1]; i++) {
            heap[i] = item[i] % n;
            place[item[i]] = (int)(i - first[j]);
        }
        left[j] = (int)(first[j + 1] - first[j]);
    }
}

#define HEAP __global int *heap, __global int *place, __global const int *size, __global const int *order
#define SLOTS heap
#define BEFORE(x, y) (size[x] > size[y] || (size[x] == size[y] && order[x] < order[y]))
#define PUT(i, x) (place[heap[i] = (x)] = (i))
#include "sampling/literature/heap.h"

// Marks all arcs from v to u.
static inline void mark_arcs(int v, int u, __global const OFFSET *row_ptr, __global const int *col_idx,
                             __global uchar *mark)
{
    for (OFFSET p = place_of(row_ptr, col_idx, v, u); p < row_ptr[v + 1] && col_idx[p] == u; p++)
        mark[p] = 1;
}

__kernel void chordal_take(const long all, const int n, const int parts, const int acts,
                           __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                           __global const int *restrict part, __global const int *restrict order,
                           __global const long *restrict first, __global int *restrict left,
                           __global int *restrict heap, __global int *restrict place, __global int *restrict clique,
                           __global int *restrict size, __global int *restrict came, __global uchar *restrict mark,
                           volatile __global int *restrict going)
{
    FOR_ITEMS_LONG(j, all) {
        const long run = j / parts, base = run * n, arcs = run * row_ptr[n];
        __global int *top = heap + first[j], *where = place + base, *many = size + base;
        __global const int *rank = order + base;
        int open = left[j];
        const int length = (int)(first[j + 1] - first[j]);
        for (int a = 0; a < acts && open > 0; a++) {
            const int v = top[0];
            open--;
            if (open) heap_sink(top[open], 0, open, top, where, many, rank);
            where[v] = -1;
            came[base + v] = length - open - 1;
            for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
                const int u = col_idx[p];
                if (p > row_ptr[v] && u == col_idx[p - 1]) continue;
                if (part && part[base + u] != part[base + v]) continue;
                if (where[u] < 0) continue;
                __global int *mine = clique + arcs + row_ptr[u];
                if (!contains(clique + arcs + row_ptr[v], many[v], mine, many[u])) continue;
                mine[many[u]++] = v;
                heap_rise(u, where[u], top, where, many, rank);
                mark_arcs(v, u, row_ptr, col_idx, mark + arcs);
                mark_arcs(u, v, row_ptr, col_idx, mark + arcs);
            }
        }
        left[j] = open;
        if (open) atomic_inc(going);
    }
}

// Whether a marked edge (u, b) has (b, x) among the edges.
static inline int has_triangle(int u, int x, __global const OFFSET *row_ptr, __global const int *col_idx,
                               __global const uchar *mark)
{
    for (OFFSET p = row_ptr[u]; p < row_ptr[u + 1]; p++)
        if (mark[p] && holds(col_idx + row_ptr[x], (int)(row_ptr[x + 1] - row_ptr[x]), col_idx[p])) return 1;
    return 0;
}

// The key of each edge that stays: marked ones, and those between parts that close a triangle with a marked one.
__kernel void chordal_marked(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                             __global const int *restrict col_idx, __global const int *restrict part,
                             __global const uchar *restrict mark, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    __global const uchar *mine = mark + run * arcs;
    FOR_ITEMS(v, n)
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
            int stays = 0;
            if (v < u) {
                stays = mine[p];
                if (part && part[(long)run * n + v] != part[(long)run * n + u])
                    stays = has_triangle(v, u, row_ptr, col_idx, mine) || has_triangle(u, v, row_ptr, col_idx, mine);
            }
            key[run * arcs + p] = stays ? 0 : NONE;
        }
}

// Parts of equal size in breadth-first order: each component is searched from its vertex of smallest priority. Vertices go by
// component (that of the smallest priority first), then by level, then by index; part k of P has the ranks r with
// floor(r P / n) = k.
#define FAR 0x7FFFFFFF

__kernel void parts_least(const int n, __global const int *restrict label, __global const int *restrict order,
                          volatile __global int *restrict least)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n)
        atomic_min(&least[base + label[v]], order[base + v]);
}

// Levels 0; each vertex's component, by its smallest rank.
__kernel void parts_begin(const int n, __global const int *restrict label, __global const int *restrict order,
                          __global const int *restrict least, __global int *restrict component,
                          __global int *restrict level, __global int *restrict next, volatile __global int *restrict going)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        const int smallest = least[base + label[v]];
        const int starts = smallest == order[base + v];
        component[base + v] = smallest;
        level[base + v] = starts ? 0 : FAR;
        if (starts) next[atomic_inc(going)] = (int)(base + v);
    }
}

__kernel void parts_level(const int count, const int n, const int depth, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict col_idx, __global const int *restrict active,
                          volatile __global int *restrict level, __global int *restrict next,
                          volatile __global int *restrict going)
{
    FOR_ITEMS(j, count) {
        const int x = active[j], first = x / n * n, v = x - first;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = first + col_idx[p];
            // a stale FAR is found out by the exchange
            if (SHARED_LOAD(&level[u]) == FAR && atomic_cmpxchg(&level[u], FAR, depth) == FAR)
                next[atomic_inc(going)] = u;
        }
    }
}

// The part of each item: by its rank `position` in breadth-first order, or as given for each vertex.
__kernel void parts_number(const long count, const int n, const int parts, __global const int *restrict item,
                           __global const int *restrict given, __global int *restrict part, __global int *restrict slot)
{
    FOR_ITEMS_LONG(i, count) {
        const int x = item ? item[i] : (int)i;
        const int run = x / n;
        const int mine = given ? given[x - run * n] : (int)((i - (long)run * n) * parts / n);
        part[x] = mine;
        slot[x] = run * parts + mine;
    }
}
