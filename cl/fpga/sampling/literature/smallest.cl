// sampling/literature/smallest.cl (pipelines): of each run the k items of smallest (key, position), by radix selection
// (layout and method: cl/sampling/literature/smallest.cl).
//
// per cycle   one key
// count       the histogram is on chip, in HISTOGRAMS copies used in turn (as in cl/fpga/sampling/select.cl)
// list        one pass in ascending order takes only counters in registers: there are no blocks, and of their sums only
//             the first of each run is used
//
// bound by    the clock: eight passes of `items` cycles per run; 8 bytes per key are read in each

#include "fpga/pipeline.h"
#include "keyed.h"
#include "sampling/literature/clock.h"

#ifndef ITEM
#define ITEM int
#endif
#define BINS 2048
#define IN_TURNS PRAGMA(ivdep array(counts) safelen(HISTOGRAMS))

PIPELINE void smallest_count(const long items, const int runs, const int shift, __global const ulong *restrict key,
                             __global const ulong *restrict prefix, __global const int *restrict left,
                             __global int *restrict histogram)
{
    __local int counts[HISTOGRAMS * (BINS + 1)];
    const int above = shift + 11;
    FOR_EACH(run, runs) {
        FOR_EACH(i, HISTOGRAMS * (BINS + 1))
            counts[i] = 0;
        const ulong known = prefix[run];
        const long end = left[run] ? items : 0;
        int turn = 0;
        IN_TURNS for (long i = 0; i < end; i++) {
            const ulong k = key[run * items + i];
            const int bin = above >= 64 || (k >> above) == (known >> above) ? (int)(k >> shift) & (BINS - 1) : BINS;
            counts[turn * (BINS + 1) + bin]++;   // what has another beginning is counted after the last bin
            turn = turn + 1 == HISTOGRAMS ? 0 : turn + 1;
        }
        FOR_EACH(i, BINS) {
            int sum = 0;
            #pragma unroll
            for (int k = 0; k < HISTOGRAMS; k++)
                sum += counts[k * (BINS + 1) + i];
            histogram[(long)run * BINS + i] += sum;
        }
    }
}

PIPELINE void smallest_narrow(const int runs, const int shift, __global ulong *restrict prefix, __global int *restrict left,
                              __global int *restrict histogram)
{
    FOR_EACH(run, runs) {
        const int wanted = left[run];
        int before = 0, bin = -1, less = 0;
        FOR_EACH(i, BINS) {
            const int here = histogram[(long)run * BINS + i];
            histogram[(long)run * BINS + i] = 0;
            if (bin < 0 && wanted <= before + here) {
                bin = i;
                less = before;
            }
            before += here;
        }
        if (wanted && bin >= 0) {
            prefix[run] |= (ulong)bin << shift;
            left[run] = wanted - less;
        } else if (wanted) {
            prefix[run] = NONE;
            left[run] = 0;
        }
    }
}

PIPELINE void smallest_count_blocks(const long items, const int runs, const int blocks, __global const ulong *restrict key,
                                    __global const ulong *restrict cut, __global const int *restrict left,
                                    __global int *restrict below, __global int *restrict equal)
{
    FOR_EACH(run, runs) {
        const ulong limit = cut[run];
        const long end = limit || left[run] ? items : 0;   // or nothing is looked for
        int less = 0, same = 0;
        for (long i = 0; i < end; i++) {
            const ulong k = key[run * items + i];
            less += k < limit;
            same += k == limit;
        }
        below[(long)run * blocks] = less;
        equal[(long)run * blocks] = limit == NONE ? 0 : same;
    }
}

PIPELINE void smallest_sum(const int runs, const int blocks, __global int *restrict below, __global int *restrict equal,
                           __global const int *restrict left, const int spare, __global int *restrict total)
{
    FOR_EACH(run, runs) {
        const int same = equal[(long)run * blocks];
        total[run] = below[(long)run * blocks] + (spare ? min(same, max(left[run] - 1, 0)) : 0);
    }
}

PIPELINE void smallest_list(const long items, const int runs, const int blocks, __global const ulong *restrict key,
                            __global const ulong *restrict cut, __global const int *restrict left, const int spare,
                            __global const int *restrict below, __global const int *restrict equal,
                            __global const long *restrict offset, __global ITEM *restrict list,
                            __global ulong *restrict keys)
{
    FOR_EACH(run, runs) {
        const ulong limit = cut[run];
        const long end = limit || left[run] ? items : 0;
        const int most = spare && limit != NONE ? max(left[run] - 1, 0) : 0;
        int same = 0;
        long place = offset[run];
        for (long i = 0; i < end; i++) {
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
