// sampling/contract.cl: contraction of drawn edges (cre, crve). A batch draws edges of the current simple graph and
// joins their ends in a forest; the host builds the rows of the contracted graph from the remaining arcs.
//
// The vertices of the current graph are numbered by the smallest original vertex of their groups, ascending.
//
// drawn_tail, drawn_head  int[draws]   ends of the edge of each draw
// label       int[current vertices]    a forest: label[v] <= v; a root has label[r] == r
// place       int[n]                   current number of each original vertex's group, -1 outside
// launch      padded range, ITEMS consecutive draws or vertices per work-item, or RUN consecutive arcs (csr/arcs.h);
//             contract_useful: one work-item per block of BLOCK draws; contract_link: any fixed local size
// variant     BY_VERTEX: a uniform vertex, then one of its neighbours (crve); otherwise a uniform edge (cre)

#include "keyed.h"
#include "csr/arcs.h"

#ifndef BLOCK
#define BLOCK 64
#endif
#ifndef BY_VERTEX
#define BY_VERTEX 0
#endif

__kernel void contract_init(const int n, __global int *restrict label)
{
    FOR_ITEMS(v, n)
        label[v] = v;
}

// Draws begin .. begin + count - 1 of a step.
__kernel void contract_draw(const uint begin, const int count, const ulong seed, const uint step, const int n,
                            const uint arcs, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col_idx, __global int *restrict drawn_tail,
                            __global int *restrict drawn_head)
{
    FOR_ITEMS(k, count) {
        const philox4x32_ctr_t x = keyed_words(seed, step, begin + k, 0, TAG_DRAW);
        const ulong bits = keyed_join(x.v[0], x.v[1]);
#if BY_VERTEX
        const int v = keyed_below(bits, n);
        const OFFSET row = row_ptr[v];
        const OFFSET p = row + keyed_below(keyed_join(x.v[2], x.v[3]), (uint)(row_ptr[v + 1] - row));
#else
        const OFFSET p = keyed_below(bits, arcs);
        const int v = row_of(p, 0, n, row_ptr);
#endif
        drawn_tail[k] = v;
        drawn_head[k] = col_idx[p];
    }
}

// Joins the trees of u and v; returns whether they were two. Stale reads are harmless: labels only ever fall, so a
// stale one is still an ancestor, and the hook is a compare-and-swap that fails unless `high` is a root at that moment.
// Each successful hook leaves one tree fewer, so the number of hooks does not depend on the order of execution.
static inline int join(__global int *label, int u, int v)
{
    int a = SHARED_LOAD(label + u);
    int b = SHARED_LOAD(label + v);
    while (a != b) {
        const int high = max(a, b);
        const int low = min(a, b);
        const int above = SHARED_LOAD(label + high);
        if (above == low)
            return 0;
        if (above == high && atomic_cmpxchg(label + high, high, low) == high)
            return 1;
        a = SHARED_LOAD(label + SHARED_LOAD(label + high));
        b = SHARED_LOAD(label + low);
    }
    return 0;
}

// Joins the ends of draws first .. last - 1; adds the number of merges to `merges`.
__kernel void contract_link(const int first, const int last, __global const int *restrict drawn_tail,
                            __global const int *restrict drawn_head, __global int *label, volatile __global int *merges)
{
    __local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = 0;
    FOR_ITEMS(k, last - first)
        mine += join(label, drawn_tail[first + k], drawn_head[first + k]);
    if (mine)
        atomic_add(&sum, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && sum)
        atomic_add(merges, sum);
}

static inline int root_of(int v, __global const int *restrict label)
{
    while (label[v] != v)
        v = label[v];
    return v;
}

// Flags the draws first .. last - 1 whose ends are in two trees, and counts them per block of BLOCK draws.
__kernel void contract_useful(const int first, const int last, __global const int *restrict drawn_tail,
                              __global const int *restrict drawn_head, __global const int *restrict label,
                              __global uchar *restrict useful, __global int *restrict block_useful)
{
    const long from = first + (long)get_global_id(0) * BLOCK;
    if (from < last) {
        int count = 0;
        for (int k = (int)from; k < min(from + BLOCK, (long)last); k++) {
            const int apart = root_of(drawn_tail[k], label) != root_of(drawn_head[k], label);
            useful[k] = apart;
            count += apart;
        }
        block_useful[get_global_id(0)] = count;
    }
}

// Makes every vertex point at its root. Each work-item writes only its own slots; a stale label of another slot is
// still an ancestor, and no root changes in this launch.
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
