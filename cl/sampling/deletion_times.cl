// deletion_times.cl: when each vertex and edge goes in exact drv and dre, from the priority forest
// (sampling/shards/forest.cl).
//
// A vertex leaves with the first deletion on its way in the forest to the last sample: the forest has the graph's
// components at every moment. The smallest turn on all ways is found by doubling: each vertex knows the smallest on the
// way to some vertex above it, and in a round takes over what that one knows.
//
// up       int[n]   the vertex above in the tree whose root is a vertex of the last sample; -1: the root, or not reached
// distance int[n]   how many ways up; -1: in another component than the sample       live uchar[n]   1 in the sample
// turn     int[n]   drv: place of the vertex in the order of deletion; dre: of the edge to the vertex above
// least    int[n]   the smallest turn on the way so far; LAST in the last sample
// last     int[n]   the last row of the curve that has the vertex: deletions before it leaves; -1: in another component
// cuts     ulong[]  dre: edge (a << 32 | b, a < b) of the deletion after each row       times ulong[]  when it goes
// table    int[]    dre: how many of `times` come before each multiple of 2^shift
// before   long[]   running sums of what goes, row by row
// ends, gone ulong[rows]   pairs whose last row it is; pairs that are deleted from it
// launch   padded range, ITEMS vertices or rows each; times_count: RUN entries
// tunables ITEMS; RUN; BY_EDGE: dre; OFFSET: type of row_ptr; BOTH_WAYS: the rows have each pair from both ends

#include "csr/arcs.h"
#include "keyed.h"
#include "wide.h"
#include "sampling/shards/both_ways.h"

#ifndef BY_EDGE
#define BY_EDGE 0
#endif

#define LAST 0x7fffffff

static inline ulong edge_word(uint u, uint v) { return (ulong)min(u, v) << 32 | max(u, v); }

static inline ulong edge_time(ulong seed, ulong word) { return edge_priority(seed, (uint)(word >> 32), (uint)word, 0); }

// Part 0 .. 3 of what vertices (or their edges up) are sorted by: the low and the high word of the edge, then of the time.
__kernel void times_keys(const int n, const ulong seed, const int part, __global const int *restrict order,
                         __global const int *restrict up, __global uint *restrict key)
{
    FOR_ITEMS(i, n) {
        const int v = order ? order[i] : i;
#if BY_EDGE
        const ulong word = up[v] < 0 ? 0 : edge_word((uint)v, (uint)up[v]);
        const ulong found = part < 2 ? word : edge_time(seed, word);
#else
        const ulong found = vertex_priority(seed, (uint)v);
#endif
        key[i] = (uint)(part & 1 ? found >> 32 : found);
    }
}

// Whether two edges beside each other in the order go at one time, so that their words decide; `tied` is 0 before.
// Vertices without an edge up have a time of their own.
__kernel void times_ties(const int n, const ulong seed, __global const int *restrict order,
                         __global const int *restrict up, volatile __global int *tied)
{
    FOR_ITEMS(i, n - 1) {
        const int u = order[i], v = order[i + 1];
        const ulong one = up[u] < 0 ? 0 : edge_word((uint)u, (uint)up[u]);
        const ulong other = up[v] < 0 ? 0 : edge_word((uint)v, (uint)up[v]);
        if ((one | other) != 0 && edge_time(seed, one) == edge_time(seed, other))
            atomic_or(tied, 1);
    }
}

__kernel void times_turns(const int n, __global const int *restrict order, __global int *restrict turn)
{
    FOR_ITEMS(i, n)
        turn[order[i]] = i;
}

__kernel void times_begin(const int n, __global const int *restrict turn, __global const int *restrict up,
                          __global const uchar *restrict live, __global int *restrict above, __global int *restrict least)
{
    FOR_ITEMS(v, n) {
        const int a = live[v] ? -1 : up[v];
        above[v] = a < 0 ? v : a;
#if BY_EDGE
        least[v] = a < 0 ? LAST : turn[v];
#else
        least[v] = a < 0 ? LAST : min(turn[v], turn[a]);
#endif
    }
}

__kernel void times_double(const int n, __global const int *restrict above, __global const int *restrict least,
                           __global int *restrict new_above, __global int *restrict new_least)
{
    FOR_ITEMS(v, n) {
        const int a = above[v];
        new_above[v] = above[a];
        new_least[v] = min(least[v], least[a]);
    }
}

// How many vertices each turn takes away; `took` is 0 before.
__kernel void times_leave(const int n, __global const int *restrict distance, __global const int *restrict least,
                          volatile __global uint *took)
{
    FOR_ITEMS(v, n)
        if (distance[v] >= 0 && least[v] != LAST)
            atomic_inc(&took[least[v]]);
}

__kernel void times_flags(const int n, __global const uint *restrict took, __global uchar *restrict some)
{
    FOR_ITEMS(i, n)
        some[i] = took[i] != 0;
}

// Turns that take something away are rows: `place` of them come before each turn.
__kernel void times_rows(const int n, __global const uint *restrict took, __global const int *restrict place,
                         __global const int *restrict order, __global const int *restrict up,
                         __global uint *restrict took_row, __global ulong *restrict cuts)
{
    FOR_ITEMS(i, n)
        if (took[i] != 0) {
            took_row[place[i]] = took[i];
#if BY_EDGE
            cuts[place[i]] = edge_word((uint)order[i], (uint)up[order[i]]);
#endif
        }
}

__kernel void times_last(const int n, __global const int *restrict distance, __global const int *restrict least,
                         __global const int *restrict place, __global int *restrict last)
{
    FOR_ITEMS(v, n)
        last[v] = distance[v] < 0 ? -1 : place[least[v] == LAST ? n : least[v]];
}

// What is left in each row of `whole`, whose parts go.
__kernel void times_left(const int rows, const long whole, __global const long *restrict before,
                         __global long *restrict left)
{
    FOR_ITEMS(i, rows)
        left[i] = whole - before[i];
}

__kernel void times_of_cuts(const int rows, const ulong seed, __global const ulong *restrict cuts,
                          __global ulong *restrict times)
{
    FOR_ITEMS(i, rows)
        times[i] = edge_time(seed, cuts[i]);
}

// How many of the times, which ascend, come before each multiple of 2^shift, and that all do: a table by their highest
// bits, from which a search takes a step or two instead of two dozen.
__kernel void times_table(const int buckets, const int shift, const int rows, __global const ulong *restrict times,
                          __global int *restrict table)
{
    FOR_ITEMS(i, buckets + 1) {
        int low = i < buckets ? 0 : rows, high = rows;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (times[middle] < (ulong)i << shift)
                low = middle + 1;
            else
                high = middle;
        }
        table[i] = low;
    }
}

// Counts the pairs of a shard by their last rows, and (dre) those that are deletions themselves by the rows before.
__kernel void times_count(const int rows, const int first_row, const long entries, const ulong seed, const int cut_count,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const int *restrict last, __global const ulong *restrict cuts,
                          __global const ulong *restrict times, __global const int *restrict table, const int shift,
                          volatile __global ulong *ends, volatile __global ulong *gone)
{
    int row = -1;
    uint stay = 0;   // pairs of the last sample meet in one number: each work-item adds its own at the end
    FOR_RUN(p, entries) {
        row = row_after(p, row, rows, row_ptr);
        const int u = first_row + row, v = col_idx[p];
        if (!COUNTS(u, v))
            continue;
        int end = min(last[u], last[v]);
        if (end < 0)
            continue;
#if BY_EDGE
        const ulong word = edge_word((uint)u, (uint)v), t = edge_time(seed, word);
        int low = table[t >> shift], high = table[(t >> shift) + 1];
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (times[middle] < t || (times[middle] == t && cuts[middle] < word))
                low = middle + 1;
            else
                high = middle;
        }
        if (low <= end && low < cut_count)
            add_wide(&gone[low], 1u);
        end = min(end, low);
#endif
        if (end == cut_count)
            ++stay;
        else
            add_wide(&ends[end], 1u);
    }
    if (stay)
        add_wide(&ends[cut_count], stay);
}
