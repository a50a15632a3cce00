// sampling/literature/stream_gps.cl: a stream sampled by priority, one edge after the other; see stream_gps.h.
//
// The last edge of a block gets into rows only if it stays: of blocks of one edge, few do.
//
// launch  a run per work-item, `acts` edges each at most; the rest as in stream_pies.cl and stream_held.h

#include "keyed.h"
#include "sampling/literature/stream.h"
#include "sampling/literature/stream_held.h"
#include "sampling/literature/stream_gps.h"

// With `ends`, what came of the last block is a block.
__kernel void gps_step(const int runs, const ulong seed, const int room, const int buckets, const int block, const int acts,
                       const int ends, const long count, const long stride, const ulong before,
                       __global const ulong *restrict tail, __global const ulong *restrict head,
                       __global const ulong *restrict given, const ulong triangles, __global int *restrict ints,
                       __global ulong *restrict longs, __global ulong *restrict state,
                       volatile __global int *restrict waiting)
{
    FOR_ITEMS(run, runs) {
        const Held h = held_of(run, room, buckets, ints, longs);
        __global ulong *mine = state + 16L * run;
        long at = (long)mine[PLACE];
        const long last = min(count, at + acts);
        ulong begin = (before + (ulong)at) / (ulong)block * (ulong)block;
        for (; at < last; at++) {
            const ulong u = tail[run * stride + at], v = head[run * stride + at], t = before + (ulong)at + 1;
            const int a = slot_of(&h.names, u), b = slot_of(&h.names, v), full = t - begin == (ulong)block;
            const ulong many = a >= 0 && b >= 0 ? closed(&h, a, b, t, begin, mine + Z, mine + SUM) : 0;
            const ulong w = given ? given[run * stride + at] : 1 + triangles * many;
            if (w > 0) {   // of given weights: 0 is never drawn
                const int place = (int)(mine[HELD] + mine[PENDING]++);
                const int e = note_edge(&h, place, t, w, keyed_a(arrival(seed + run, t, 0)) | 1);
                if (!full) enter_edge(&h, e, u, v, mine);
            }
            if (full) {
                keep_block(&h, room - block, u, v, mine);
                begin = t;
            }
        }
        if (ends) keep_block(&h, room - block, 0, 0, mine);
        mine[PLACE] = (ulong)at;
        if (at < count) atomic_inc(&waiting[0]);
    }
}
