// sampling/contract.cl: contraction of drawn edges (cre, crve). A batch draws edges of the current simple graphs and
// joins their ends in a forest; the host builds the rows of the contracted graphs from the remaining arcs.
//
// There may be one run or many side by side. A batch merges as many vertices in each, so that all runs have equally
// many: their graphs are the rows of one, in which run r has the vertices from r * n on. Only the draws differ: of one
// run they spread over the device (contract_draw, contract_useful, contract_link), of many each has a work-group
// (contract_runs). Both take the same draws in the same order.
//
// The vertices of a current graph are numbered by the smallest original vertex of their groups, ascending.
//
// drawn_tail, drawn_head  int[draws]   ends of the edge of each draw
// label       int[current vertices]    a forest (sampling/runs.h)
// place       int[runs * whole]        current number of each original vertex's group, -1 outside
// name        int[current vertices]    the smallest original vertex of each
// launch      padded range, ITEMS consecutive draws or vertices per work-item, or RUN consecutive arcs (csr/arcs.h);
//             contract_useful: one work-item per block of BLOCK draws; contract_link: any fixed local size;
//             contract_repeat: (things, runs); contract_runs: a work-group of LOCAL per run; contract_begins: one
//             work-item per run
// variant     BY_VERTEX: a uniform vertex, then one of its neighbours (crve); otherwise a uniform edge (cre)
// tunables    ITEMS, RUN, BLOCK; LOCAL, a power of two (1 on CPUs: no barriers)

#include "keyed.h"
#include "csr/arcs.h"
#include "sampling/runs.h"

#ifndef BLOCK
#define BLOCK 64
#endif
#ifndef BY_VERTEX
#define BY_VERTEX 0
#endif

// A graph, once for each run; into_ptr[0] is 0 already.
__kernel void contract_repeat(const int n, const int arcs, const int whole, __global const OFFSET *restrict row_ptr,
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

// Where the arcs of each run begin, and the end.
__kernel void contract_begins(const int n, const int runs, __global const OFFSET *restrict row_ptr,
                              __global int *restrict at)
{
    const int run = get_global_id(0);
    if (run <= runs)
        at[run] = (int)row_ptr[run * n];
}

__kernel void contract_init(const int n, __global int *restrict label)
{
    FOR_ITEMS(v, n)
        label[v] = v;
}

// The arc that draw i hits, and its tail *v, in the graph of the vertices base .. base + n - 1.
static inline OFFSET drawn_arc(const ulong seed, const uint step, const uint i, const int base, const int n, int *v,
                               __global const OFFSET *restrict row_ptr)
{
    const philox4x32_ctr_t x = keyed_words(seed, step, i, 0, TAG_DRAW);
#if BY_VERTEX
    *v = base + keyed_below(keyed_a(x), n);
    return row_ptr[*v] + keyed_below(keyed_b(x), (uint)(row_ptr[*v + 1] - row_ptr[*v]));
#else
    const OFFSET begin = row_ptr[base], p = begin + keyed_below(keyed_a(x), (uint)(row_ptr[base + n] - begin));
    *v = row_of(p, base, base + n, row_ptr);
    return p;
#endif
}

// --- The draws of one run, over the whole device ---

// Draws begin .. begin + count - 1 of a step.
__kernel void contract_draw(const uint begin, const int count, const ulong seed, const uint step, const int n,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global int *restrict drawn_tail, __global int *restrict drawn_head)
{
    FOR_ITEMS(k, count) {
        int v;
        const OFFSET p = drawn_arc(seed, step, begin + k, 0, n, &v, row_ptr);
        drawn_tail[k] = v;
        drawn_head[k] = col_idx[p];
    }
}

// Joins the ends of draws first .. last - 1; adds the number of merges to `merges`, which does not depend on the order
// of execution: each successful hook leaves one tree fewer.
__kernel void contract_link(const int first, const int last, __global const int *restrict drawn_tail,
                            __global const int *restrict drawn_head, __global int *label, volatile __global int *merges)
{
    __local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = 0;
    FOR_ITEMS(k, last - first)
        mine += join(drawn_tail[first + k], drawn_head[first + k], label);
    if (mine)
        atomic_add(&sum, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && sum)
        atomic_add(merges, sum);
}

// Flags the draws first .. last - 1 whose ends are in two trees, and counts them per block of BLOCK draws.
__kernel void contract_useful(const int first, const int last, __global const int *restrict drawn_tail,
                              __global const int *restrict drawn_head, __global int *label,
                              __global uchar *restrict useful, __global int *restrict block_useful)
{
    const long from = first + (long)get_global_id(0) * BLOCK;
    if (from < last) {
        int count = 0;
        for (int k = (int)from; k < min(from + BLOCK, (long)last); k++) {
            const int apart = root_above(drawn_tail[k], label) != root_above(drawn_head[k], label);
            useful[k] = apart;
            count += apart;
        }
        block_useful[get_global_id(0)] = count;
    }
}

// --- The draws of many runs, each in a work-group ---

// The ends of drawn edges are joined in the order of the draws, until `wanted` merges are done. LOCAL draws are looked
// at together; of those whose ends are apart at most as many are taken as merges are missing, so that the last one taken
// is the last merge if there are as many.
__kernel void contract_runs(const int n, const ulong seed, const uint step, const int wanted,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global int *label)
{
    __local int box[LOCAL];
    __local int end, merges;
    const int run = get_group_id(0), lane = get_local_id(0);
    uint first = 0;
    for (int missing = wanted; missing > 0;) {
        TOGETHER;
        if (lane == 0) {
            end = LOCAL;
            merges = 0;
        }
        int u;
        const int v = col_idx[drawn_arc(seed + run, step, first + lane, run * n, n, &u, row_ptr)];
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

// --- The end of a batch ---

// Makes every vertex point at its root. A stale label of another slot is still an ancestor, and no root changes in this
// launch.
__kernel void contract_compress(const int n, __global int *label)
{
    FOR_ITEMS(v, n) {
        int root = SHARED_LOAD(label + v);
        while (SHARED_LOAD(label + root) != root)
            root = SHARED_LOAD(label + root);
        SHARED_STORE(label + v, root);
    }
}

// Replaces roots by their new numbers; -1 stays.
__kernel void contract_renumber(const int n, __global const int *restrict number, __global int *restrict label)
{
    FOR_ITEMS(v, n)
        if (label[v] >= 0)
            label[v] = number[label[v]];
}

__kernel void contract_follow(const int n, __global const int *restrict label, __global int *restrict place)
{
    FOR_ITEMS(v, n)
        if (place[v] >= 0)
            place[v] = label[place[v]];
}

// The arcs under new numbers; one that leaves the graph (-1) becomes a loop, as do those inside a group.
__kernel void contract_arcs(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col_idx, __global const int *restrict label,
                            __global int *restrict tail, __global int *restrict head)
{
    int v = -1;
    FOR_RUN(p, arcs) {
        v = row_after(p, v, n, row_ptr);
        const int mine = label[v];
        tail[p] = max(mine, 0);
        head[p] = mine < 0 ? 0 : label[col_idx[p]];
    }
}

// The smallest original vertex of each vertex's group, -1 outside.
__kernel void contract_groups(const int n, __global const int *restrict place, __global const int *restrict name,
                              __global int *restrict group)
{
    FOR_ITEMS(v, n)
        group[v] = place[v] < 0 ? -1 : name[place[v]];
}
