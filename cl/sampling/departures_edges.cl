// sampling/departures_edges.cl: dre's part of departures.cl: the edges in the order of their deletion, the passes over
// them, and what they amount to. An edge is deleted in its own turn if both ends are still there, else it goes with the
// end that leaves first.
//
// upper      uchar[arcs]   whether an arc goes to the larger end: one arc of each edge
// place      int[arcs]     how many of these are before it: the number of its edge
// low, high  int[m]        the ends of an edge, by its number, or sorted: by its turn
// priority   ulong[m]      by number
// died       uchar[m]      by turn: whether the edge is deleted in its own turn
//
// launch     padded range: ITEMS edges per work-item; over arcs: RUN of them (csr/arcs.h)

#include "csr/arcs.h"
#include "components/finder.h"
#include "keyed.h"

#define LAST 0x7fffffff

__kernel void departures_upper(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                               __global const int *restrict col_idx, __global uchar *restrict upper)
{
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        upper[p] = col_idx[p] > v;
    }
}

__kernel void departures_list(const int n, const long arcs, const ulong seed, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global const int *restrict place,
                              __global int *restrict low, __global int *restrict high, __global ulong *restrict priority)
{
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        const int u = col_idx[p];
        if (u <= v)
            continue;
        uint copy = 0;
        while (p - copy > row_ptr[v] && col_idx[p - copy - 1] == u)
            copy++;
        low[place[p]] = v;
        high[place[p]] = u;
        priority[place[p]] = edge_priority(seed, (uint)v, (uint)u, copy);
    }
}

// A word of each edge's priority.
__kernel void departures_keys(const int m, __global const ulong *restrict priority, __global const int *restrict order,
                              const int upper_word, __global uint *restrict key)
{
    FOR_ITEMS(i, m) {
        const ulong own = priority[order ? order[i] : i];
        key[i] = (uint)(upper_word ? own >> 32 : own);
    }
}

__kernel void departures_sorted(const int m, __global const int *restrict order, __global const int *restrict low,
                                __global const int *restrict high, __global int *restrict sorted_low,
                                __global int *restrict sorted_high)
{
    FOR_ITEMS(i, m) {
        sorted_low[i] = low[order[i]];
        sorted_high[i] = high[order[i]];
    }
}

__kernel void departures_live(const int n, __global const uchar *restrict live, __global int *restrict prefix)
{
    FOR_ITEMS(v, n) prefix[v] = live[v] ? LAST : 0;
}

__kernel void departures_join_edges(const int m, const int bit, __global const int *restrict low,
                                    __global const int *restrict high, __global const int *restrict prefix,
                                    __global int *label, volatile __global int *flag)
{
    FOR_ITEMS(i, m) {
        const int a = low[i], b = high[i], first = min(prefix[a], prefix[b]);
        if (first == LAST || i < (((long)first * 2 + 1) << bit))
            continue;
        if (prefix[a] == prefix[b])
            join(label, b, a);
        else {
            const int v = prefix[a] == first ? a : b;
            if (!SHARED_LOAD(&flag[v]))   // a stale 0 only leads to the atomic
                atomic_or(&flag[v], 1);
        }
    }
}

__kernel void departures_ends(const int m, const int root, __global const int *restrict low,
                              __global const int *restrict high, __global const int *restrict inside,
                              __global const int *restrict prefix, volatile __global uint *cut,
                              __global uchar *restrict died)
{
    FOR_ITEMS(i, m) {
        const int first = min(prefix[low[i]], prefix[high[i]]), there = inside[low[i]] == root;
        died[i] = there && i <= first;
        if (there)
            atomic_inc(&cut[min(i, first)]);
    }
}

// For each row the deletions so far. before: those before each turn.
__kernel void departures_deletions(const int m, __global const uchar *restrict some, __global const int *restrict place,
                                   __global const int *restrict before, __global long *restrict deletions)
{
    FOR_ITEMS(t, m)
        if (some[t]) deletions[place[t]] = before[t + 1];
}
