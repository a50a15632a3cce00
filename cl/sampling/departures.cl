// sampling/departures.cl: when each vertex leaves the sample, where vertices (drv) or edges (dre) are deleted one by
// one: by the deletion with the smallest turn on the path to the last sample whose smallest turn is largest.
//
// That turn is found for all vertices together, bit by bit from the highest one. prefix[v] holds the bits found so far.
// Round b asks whether it is at least middle = (2 prefix + 1) << b: whether a path leads from v to the last sample by
// vertices (edges) whose turns are that late. No vertex on such a path has a smaller prefix. The ones with the same
// prefix are joined (components/finder.h), those with a larger one reach the last sample by themselves. So every round
// is one pass over all arcs (edges), whatever the shape of the graph.
//
// row_ptr, col_idx   the graph: undirected, no loops; rows ascend
// low, high int[m]   dre: the ends of the edges in the order of deletion (departures_edges.cl)
// turn      int[n]   drv: the place of each vertex in the order of deletion; dre: none
// prefix    int[n]   LAST in the last sample; after the last round the turn that takes the vertex away
// label     int[n]   the trees that join; flag  int[n]: whether something reaches the last sample by itself
// inside    int[n]   label of the input's component; only those with `root` count
// gone, cut uint[turns]   vertices and edges that each turn takes away; zero before
//
// launch    padded range: ITEMS vertices per work-item; over arcs: RUN of them (csr/arcs.h)

#include "csr/arcs.h"
#include "components/finder.h"
#include "keyed.h"
#include "measures/wide.h"

#define LAST 0x7fffffff

#define MIDDLE(v) (((long)prefix[v] * 2 + 1) << bit)

// A word of each vertex's priority.
__kernel void departures_words(const int n, const ulong seed, __global const int *restrict order, const int high,
                               __global uint *restrict key)
{
    FOR_ITEMS(i, n) {
        const ulong priority = vertex_priority(seed, (uint)(order ? order[i] : i));
        key[i] = (uint)(high ? priority >> 32 : priority);
    }
}

__kernel void departures_turns(const int n, __global const int *restrict order, __global const uchar *restrict live,
                               __global int *restrict turn, __global int *restrict prefix)
{
    FOR_ITEMS(i, n) {
        turn[order[i]] = i;
        prefix[i] = live[i] ? LAST : 0;
    }
}

__kernel void departures_begin(const int n, __global int *restrict label, __global int *restrict flag)
{
    FOR_ITEMS(v, n) {
        label[v] = v;
        flag[v] = 0;
    }
}

__kernel void departures_join(const int n, const long arcs, const int bit, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global const int *restrict turn,
                              __global const int *restrict prefix, __global int *label, volatile __global int *flag)
{
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        const int u = col_idx[p];
        if (prefix[v] == LAST || prefix[u] < prefix[v] || turn[v] < MIDDLE(v))
            continue;
        if (prefix[u] > prefix[v]) {
            if (!SHARED_LOAD(&flag[v]))   // a stale 0 only leads to the atomic
                atomic_or(&flag[v], 1);
        }
        else if (u < v && turn[u] >= MIDDLE(v))
            join(label, v, u);
    }
}

// Every vertex points at its root, which takes its flag.
__kernel void departures_compress(const int n, __global int *label, volatile __global int *flag)
{
    FOR_ITEMS(v, n) {
        int root = SHARED_LOAD(label + v), above;
        while ((above = SHARED_LOAD(label + root)) != root)   // a stale label is still an ancestor
            root = above;
        SHARED_STORE(label + v, root);
        if (SHARED_LOAD(&flag[v]) && !SHARED_LOAD(&flag[root]))
            atomic_or(&flag[root], 1);
    }
}

__kernel void departures_narrow(const int n, const int bit, __global const int *restrict turn,
                                __global const int *restrict label, __global const int *restrict flag,
                                __global int *restrict prefix)
{
    FOR_ITEMS(v, n)
        if (prefix[v] != LAST)
            prefix[v] = prefix[v] * 2 + ((!turn || turn[v] >= MIDDLE(v)) && flag[label[v]]);
}

__kernel void departures_count(const int n, const int root, __global const int *restrict inside,
                               __global const int *restrict prefix, volatile __global uint *gone)
{
    FOR_ITEMS(v, n)
        if (inside[v] == root && prefix[v] != LAST) atomic_inc(&gone[prefix[v]]);
}

// left: edges of the last sample; zero before.
__kernel void departures_edges(const int n, const long arcs, const int root, __global const OFFSET *restrict row_ptr,
                               __global const int *restrict col_idx, __global const int *restrict inside,
                               __global const int *restrict prefix, volatile __global uint *cut,
                               volatile __global ulong *left)
{
    int v = -1;
    uint mine = 0;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        if (inside[v] != root || col_idx[p] > v)
            continue;
        const int first = min(prefix[v], prefix[col_idx[p]]);
        if (first == LAST)
            mine++;
        else
            atomic_inc(&cut[first]);
    }
    if (mine)
        add_wide(left, mine);
}

__kernel void departures_flags(const int n, __global const uint *restrict gone, __global uchar *restrict some)
{
    FOR_ITEMS(t, n) some[t] = gone[t] != 0;
}

// A row for each turn that takes something away: what is left after it. before, edges_before: sums before each turn.
__kernel void departures_rows(const int n, const long whole, const long whole_edges,
                              __global const uchar *restrict some, __global const int *restrict place,
                              __global const long *restrict before, __global const long *restrict edges_before,
                              __global long *restrict vertices, __global long *restrict edges)
{
    FOR_ITEMS(t, n)
        if (some[t]) {
            vertices[place[t]] = whole - before[t + 1];
            edges[place[t]] = whole_edges - edges_before[t + 1];
        }
}
