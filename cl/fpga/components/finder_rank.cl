// components/finder_rank.cl (pipelines): sizes and numbers of components (layout: cl/components/finder_rank.cl).
//
// per cycle   one vertex; counters in registers, so that the running sums of blocks need no second pass
// count       adding to count[root] is a read and a write of memory: recent.h
// bound by    a random read and write per vertex outside the giant (count), else the streams: 4 to 12 bytes per vertex

#include "fpga/pipeline.h"
#include "fpga/recent.h"

#ifndef BLOCK
#define BLOCK 2048
#endif
#define GIANT 0
#define MEMBERS 0
#define PRESENT 1
#define ROOT 2

PIPELINE void components_count(const int n, __global const int *restrict label, __global const int *restrict state,
                               const int all, __global int *restrict count, __global int *restrict sums)
{
    const int seed = state[GIANT], giant = seed < 0 ? -2 : label[seed];
    int members = 0, present = 0;
    Recent recent = recent_none();
    #pragma ivdep safelen(HAZARD)
    FOR_EACH(v, n) {
        const int root = label[v];
        members += root == giant;
        present += root >= 0;
        if (all) {
            const int other = root >= 0 && root != giant && root != v;
            uint now = 0;
            if (other) {
                now = recent_value(&recent, root, count[root]) + 1;
                count[root] = now;
            }
            recent_set(&recent, other ? root : -1, now);
        }
    }
    sums[ROOT] = giant;
    sums[MEMBERS] += members;
    sums[PRESENT] += present;
    if (all && members)
        count[giant] += members;
}

// The giant's count includes its root: subtract it.
PIPELINE void components_count_end(__global const int *restrict label, __global const int *restrict state,
                                   __global int *restrict count)
{
    if (state[GIANT] >= 0)
        count[label[state[GIANT]]] -= 1;
}

PIPELINE void rank_blocks(const int n, const int blocks, __global const int *restrict label,
                          __global const int *restrict count, __global int *restrict tally)
{
    int single = 0, larger = 0, inside = 0, block = 0;
    FOR_EACH(v, n) {
        const int root = label[v] == v, alone = count[v] == 0;
        single += root & alone;
        larger += root & !alone;
        if (++inside == BLOCK || v + 1 == n) {
            tally[block] = single;
            tally[blocks + block] = larger;
            block++;
            single = larger = inside = 0;
        }
    }
}

// The running sums continue from block to block: only those of the first block are read.
PIPELINE void rank_place(const int n, const int blocks, const int singles, const int all_larger,
                         __global const int *restrict label, __global int *restrict count,
                         __global const int *restrict before, __global int *restrict root, __global int *restrict size)
{
    int single = all_larger + before[0], larger = before[blocks] - singles;
    #pragma ivdep
    FOR_EACH(v, n) {   // each iteration writes its own entry of count
        const int is_root = label[v] == v, counted = count[v], alone = is_root & (counted == 0);
        if (alone)
            count[v] = single++;
        if (is_root & !alone) {
            root[larger] = v;
            size[larger] = counted + 1;
            larger++;
        }
    }
}

PIPELINE void rank_scatter(const int larger, __global const int *restrict root, __global const int *restrict place,
                           __global int *restrict number)
{
    #pragma ivdep
    FOR_EACH(i, larger)
        number[root[i]] = place[i];
}

PIPELINE void rank_apply(const int n, __global int *restrict label, __global const int *restrict number)
{
    #pragma ivdep
    FOR_EACH(v, n) {
        const int root = label[v];
        if (root >= 0)
            label[v] = number[root];
    }
}

PIPELINE void largest_blocks(const int n, const int blocks, __global const int *restrict label,
                             __global const int *restrict count, __global int *restrict best)
{
    int root = -1, size = 0, inside = 0, block = 0;
    FOR_EACH(v, n) {
        if (label[v] == v && count[v] + 1 > size) {
            root = v;
            size = count[v] + 1;
        }
        if (++inside == BLOCK || v + 1 == n) {
            best[2 * block] = root;
            best[2 * block + 1] = size;
            block++;
            root = -1;
            size = inside = 0;
        }
    }
}

PIPELINE void sizes_of(const int listed, __global const int *restrict roots, __global const int *restrict count,
                       __global int *restrict size)
{
    FOR_EACH(i, listed)
        size[i] = count[roots[i]] + 1;
}
