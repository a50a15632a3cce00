// sampling/literature/stream_gps_blocks.cl: the same by large blocks, whose edges are weighed side by side; see stream_gps.h.
//
// sums    ulong[runs][block][2]   what each edge of the block adds to the in-stream estimate
// launch  gps_enter, gps_keep: a run per work-item; gps_weigh: an edge per work-item

#include "keyed.h"
#include "sampling/literature/stream.h"
#include "sampling/literature/stream_held.h"
#include "sampling/literature/stream_gps.h"

// The edges first .. first + count - 1 of the chunk, all of the present block.
__kernel void gps_enter(const int runs, const ulong seed, const int room, const int buckets, const long first,
                        const long count, const long stride, const ulong before, __global const ulong *restrict tail,
                        __global const ulong *restrict head, __global int *restrict ints, __global ulong *restrict longs,
                        __global ulong *restrict state)
{
    FOR_ITEMS(run, runs) {
        const Held h = held_of(run, room, buckets, ints, longs);
        __global ulong *mine = state + 16L * run;
        int place = (int)(mine[HELD] + mine[PENDING]);
        for (long at = first; at < first + count; at++) {
            const ulong t = before + (ulong)at + 1;
            const int e = note_edge(&h, place++, t, 0, keyed_a(arrival(seed + run, t, 0)) | 1);
            enter_edge(&h, e, tail[run * stride + at], head[run * stride + at], mine);
        }
        mine[PENDING] += (ulong)count;
    }
}

// Weights are read of edges from before the block only, so that nobody reads what another work-item writes.
__kernel void gps_weigh(const int runs, const int room, const int buckets, const int block, const ulong triangles,
                        __global int *restrict ints, __global ulong *restrict longs, __global const ulong *restrict state,
                        __global ulong *restrict sums)
{
    FOR_ITEMS_LONG(i, (long)runs * block) {
        const int run = (int)(i / block), place = (int)(i - (long)run * block);
        const Held h = held_of(run, room, buckets, ints, longs);
        __global const ulong *mine = state + 16L * run;
        if (place < (int)mine[PENDING]) {
            const int first = (int)mine[HELD], e = h.heap[first + place];
            const ulong begin = h.time[h.heap[first]] - 1;
            sums[2 * i] = sums[2 * i + 1] = 0;
            h.weight[e] =
                1 + triangles * closed(&h, h.vertex[2 * e], h.vertex[2 * e + 1], h.time[e], begin, mine + Z, sums + 2 * i);
        }
    }
}

__kernel void gps_keep(const int runs, const int room, const int buckets, const int block, __global int *restrict ints,
                       __global ulong *restrict longs, __global ulong *restrict state, __global const ulong *restrict sums)
{
    FOR_ITEMS(run, runs) {
        const Held h = held_of(run, room, buckets, ints, longs);
        __global ulong *mine = state + 16L * run;
        for (long i = (long)run * block; i < (long)run * block + (long)mine[PENDING]; i++) {
            mine[SUM] += sums[2 * i];
            mine[SUM + 1] += sums[2 * i + 1] + (mine[SUM] < sums[2 * i]);
        }
        keep_block(&h, room - block, 0, 0, mine);
    }
}
