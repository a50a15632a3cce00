// sampling/literature/smallest.cl: of many runs side by side, the k items of smallest (key, position) of each, by radix
// selection, listed in ascending order of position.
//
// A pass counts 11 bits of the keys whose higher bits are those of the key looked for, and narrows; six passes settle 64
// bits, without the host. Then blocks of items are counted, summed up and listed.
//
// key     ulong[runs * items]; NONE: never taken
// prefix, left  ulong[runs], int[runs]: the bits known of the key looked for, and how many of the keys that begin so come
//         before it or are it; left 0: nothing is looked for. In the end left is 1 where the key is there; where fewer
//         keys than that are there, prefix is NONE
// spare   1: cut is the key of the first item left out, and left - 1 items of that key are taken, those of smallest
//         position; 0: only smaller keys are
// launch  count: groups (any local size) of SPAN items, by runs; count_blocks, list: a work-item per BLOCK items, by
//         runs; narrow, sum: a group of LANES per run
// tunables    SPAN, BLOCK, LANES (a power of 2); ITEM, the type of an item's position

#include "keyed.h"
#include "sampling/literature/clock.h"

#ifndef SPAN
#define SPAN 16384
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ITEM
#define ITEM int
#endif
#ifndef LANES
#define LANES 256
#endif
#define BINS 2048

__kernel void smallest_count(const long items, const int runs, const int shift, __global const ulong *restrict key,
                             __global const ulong *restrict prefix, __global const int *restrict left,
                             volatile __global int *restrict histogram)
{
    __local int bins[BINS];
    const int run = (int)get_global_id(1), lane = (int)get_local_id(0), lanes = (int)get_local_size(0);
    for (int i = lane; i < BINS; i += lanes)
        bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int above = shift + 11;
    const ulong known = prefix[run];
    const long first = min((long)get_group_id(0) * SPAN, items);
    const long end = left[run] ? min(first + SPAN, items) : first;
    int bin = -1, many = 0;   // equal bins in a row are added up first: at the beginning most keys share one
    for (long i = first + lane; i < end; i += lanes) {
        const ulong k = key[run * items + i];
        if (above >= 64 || (k >> above) == (known >> above)) {
            const int b = (int)(k >> shift) & (BINS - 1);
            if (b != bin) {
                if (many) atomic_add(&bins[bin], many);
                bin = b;
                many = 0;
            }
            many++;
        }
    }
    if (many) atomic_add(&bins[bin], many);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lane; i < BINS; i += lanes)
        if (bins[i]) atomic_add(&histogram[(long)run * BINS + i], bins[i]);
}

// The next 11 bits of each run's key; clears the histogram. A group per run.
__kernel void smallest_narrow(const int runs, const int shift, __global ulong *restrict prefix, __global int *restrict left,
                              __global int *restrict histogram)
{
    __local int sums[LANES];
    const int run = (int)get_global_id(1), lane = (int)get_local_id(0), lanes = LANES;
    const int each = BINS / lanes, wanted = left[run];
    __global int *bins = histogram + (long)run * BINS + lane * each;
    int mine = 0, before = 0, all = 0;
    for (int i = 0; i < each; i++)
        mine += bins[i];
    sums[lane] = mine;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int i = 0; i < lanes; i++) {
        before += i < lane ? sums[i] : 0;
        all += sums[i];
    }
    if (wanted && before < wanted && wanted <= before + mine) {   // one lane's
        int bin = 0;
        while (wanted > before + bins[bin])
            before += bins[bin++];
        prefix[run] |= (ulong)(lane * each + bin) << shift;
        left[run] = wanted - before;
    }
    if (wanted && all < wanted && lane == 0) {
        prefix[run] = NONE;
        left[run] = 0;
    }
    for (int i = 0; i < each; i++)
        bins[i] = 0;
}

// How many items of each block have keys below the cut, and how many keys that equal it.
__kernel void smallest_count_blocks(const long items, const int runs, const int blocks, __global const ulong *restrict key,
                                    __global const ulong *restrict cut, __global const int *restrict left,
                                    __global int *restrict below, __global int *restrict equal)
{
    const int block = (int)get_global_id(0), run = (int)get_global_id(1);
    if (block < blocks) {
        const ulong limit = cut[run];
        const long first = (long)block * BLOCK;
        const long end = limit || left[run] ? min(first + BLOCK, items) : first;   // or nothing is looked for
        int less = 0, same = 0;
        for (long i = first; i < end; i++) {
            const ulong k = key[run * items + i];
            less += k < limit;
            same += k == limit;
        }
        below[(long)run * blocks + block] = less;
        equal[(long)run * blocks + block] = limit == NONE ? 0 : same;
    }
}

// Counts into running sums: what comes before each block. total[run]: how many are taken, with those of the quota.
__kernel void smallest_sum(const int runs, const int blocks, __global int *restrict below, __global int *restrict equal,
                           __global const int *restrict left, const int spare, __global int *restrict total)
{
    __local int sums[2 * LANES];
    const int run = (int)get_global_id(1), lane = (int)get_local_id(0), lanes = LANES;
    const int each = (blocks + lanes - 1) / lanes;
    const int first = min(lane * each, blocks), end = min(first + each, blocks);
    const long base = (long)run * blocks;
    int less = 0, same = 0;
    for (int i = first; i < end; i++) {
        less += below[base + i];
        same += equal[base + i];
    }
    sums[2 * lane] = less;
    sums[2 * lane + 1] = same;
    barrier(CLK_LOCAL_MEM_FENCE);
    less = same = 0;
    for (int i = 0; i < lane; i++) {
        less += sums[2 * i];
        same += sums[2 * i + 1];
    }
    for (int i = first; i < end; i++) {
        const int l = below[base + i], s = equal[base + i];
        below[base + i] = less;
        equal[base + i] = same;
        less += l;
        same += s;
    }
    if (lane == lanes - 1)
        total[run] = less + (spare ? min(same, max(left[run] - 1, 0)) : 0);
}

// The items taken, ascending, from offset[run] on; their keys where `keys` is not NULL.
__kernel void smallest_list(const long items, const int runs, const int blocks, __global const ulong *restrict key,
                            __global const ulong *restrict cut, __global const int *restrict left, const int spare,
                            __global const int *restrict below, __global const int *restrict equal,
                            __global const long *restrict offset, __global ITEM *restrict list,
                            __global ulong *restrict keys)
{
    const int block = (int)get_global_id(0), run = (int)get_global_id(1);
    if (block < blocks) {
        const ulong limit = cut[run];
        const long first = (long)block * BLOCK;
        const long end = limit || left[run] ? min(first + BLOCK, items) : first;
        const int most = spare && limit != NONE ? max(left[run] - 1, 0) : 0;
        int same = equal[(long)run * blocks + block];
        long place = offset[run] + below[(long)run * blocks + block] + min(same, most);
        for (long i = first; i < end; i++) {
            const ulong k = key[run * items + i];
            const int taken = k < limit || (k == limit && same < most);
            same += k == limit;
            if (taken) {
                list[place] = (ITEM)i;
                if (keys) keys[place] = k;
                place++;
            }
        }
    }
}
