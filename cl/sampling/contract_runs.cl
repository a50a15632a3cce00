// sampling/contract_runs.cl: contraction of drawn edges (cre, crve), the runs of many seeds side by side.
//
// A batch merges as many vertices in every run, so that all runs have equally many: the graphs of all are the rows of
// one, in which run r has the vertices from r * n on. sampling/contract.cl has the pass over their arcs.
//
// row_ptr     int[runs * n + 1], col_idx int[arcs of all]
// label       int[runs * n]        a forest: label[v] <= v; a root has label[r] == r
// number      int[runs * n]        what each vertex becomes
// name        int[runs * n]        the smallest original vertex of each
// place       int[runs * whole]    where each original vertex is, -1 outside
// launch      runs_join, runs_number: one work-group of LOCAL per run (1 on CPUs: no barriers); runs_repeat: padded
//             range over (things, runs), ITEMS per work-item; runs_ends: padded range, one work-item per run
// variant     BY_VERTEX as in sampling/contract.cl
// tunables    LOCAL, a power of two; ITEMS

#include "keyed.h"
#include "csr/arcs.h"
#include "sampling/runs.h"

#ifndef BY_VERTEX
#define BY_VERTEX 0
#endif

// A graph, once for each run; into_ptr[0] is 0 already.
__kernel void runs_repeat(const int n, const int arcs, const int whole, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict col_idx, __global const int *restrict place,
                          __global const int *restrict name, __global int *restrict into_ptr,
                          __global int *restrict into_idx, __global int *restrict into_place,
                          __global int *restrict into_name)
{
    const int run = get_global_id(1);
    FOR_ITEMS(i, max(whole, arcs)) {
        if (i < n) {
            into_ptr[run * n + i + 1] = run * arcs + (int)row_ptr[i + 1];
            into_name[run * n + i] = name[i];
        }
        if (i < arcs)
            into_idx[run * arcs + i] = run * n + col_idx[i];
        if (i < whole)
            into_place[run * whole + i] = place[i] < 0 ? -1 : run * n + place[i];
    }
}

// One batch: edges of the graphs at its start are drawn, and their ends joined in the order of the draws, until
// `wanted` merges are done. LOCAL draws are looked at together; of those whose ends are apart at most as many are taken
// as merges are missing, so that the last one taken is the last merge if there are as many.
__kernel void runs_join(const int n, const ulong seed, const uint step, const int wanted,
                        __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                        __global int *label)
{
    __local int box[LOCAL];
    __local int end, merges;
    const int run = get_group_id(0), lane = get_local_id(0), base = run * n;
    const OFFSET begin = row_ptr[base];
    const uint arcs = row_ptr[base + n] - begin;
    for (int v = base + lane; v < base + n; v += LOCAL)
        label[v] = v;
    uint first = 0;
    for (int missing = wanted; missing > 0;) {
        TOGETHER;
        if (lane == 0) {
            end = LOCAL;
            merges = 0;
        }
        const philox4x32_ctr_t x = keyed_words(seed + run, step, first + lane, 0, TAG_DRAW);
#if BY_VERTEX
        const int u = base + keyed_below(keyed_a(x), n);
        const OFFSET p = row_ptr[u] + keyed_below(keyed_b(x), row_ptr[u + 1] - row_ptr[u]);
#else
        const OFFSET p = begin + keyed_below(keyed_a(x), arcs);
        const int u = row_of(p, base, base + n, row_ptr);
#endif
        const int v = col_idx[p];
        const int useful = root_above(u, label) != root_above(v, label);
        box[lane] = useful;
        SUMS_UP_TO(box, lane);
        const int taken = useful && box[lane] <= missing;
        if (useful && box[lane] == missing)
            end = lane + 1;
        if (taken && join(u, v, label))
            atomic_inc(&merges);
        TOGETHER;
        first += end;
        missing -= merges;
    }
}

// Numbers the groups that a batch left, `left` in each run, by their smallest vertices.
__kernel void runs_number(const int n, const int left, const int whole, __global const int *restrict label,
                          __global const int *restrict name, __global int *number, __global int *restrict new_name,
                          __global int *restrict place)
{
    __local int box[LOCAL];
    const int run = get_group_id(0), lane = get_local_id(0), base = run * n, share = (n + LOCAL - 1) / LOCAL;
    const int from = base + min(lane * share, n), to = base + min((lane + 1) * share, n);
    int roots = 0;
    for (int v = from; v < to; v++)
        roots += label[v] == v;
    box[lane] = roots;
    SUMS_UP_TO(box, lane);
    int next = run * left + box[lane] - roots;
    for (int v = from; v < to; v++)
        if (label[v] == v) {
            number[v] = next;
            new_name[next++] = name[v];
        }
    TOGETHER;
    for (int v = base + lane; v < base + n; v += LOCAL)
        if (label[v] != v) {
            int root = label[v];
            while (label[root] != root)
                root = label[root];
            number[v] = number[root];
        }
    TOGETHER;
    for (int i = run * whole + lane; i < (run + 1) * whole; i += LOCAL)
        if (place[i] >= 0)
            place[i] = number[place[i]];
}

// Where the arcs of each run begin, and the end.
__kernel void runs_ends(const int n, const int runs, __global const OFFSET *restrict row_ptr, __global int *restrict at)
{
    const int run = get_global_id(0);
    if (run <= runs)
        at[run] = (int)row_ptr[run * n];
}
