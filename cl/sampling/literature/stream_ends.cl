// sampling/literature/stream_ends.cl: the edges that runs hold of a stream, run after run; see stream_held.h.
//
// heap    where the edges are in slots as they come: 0; where the heap names their slots: 1
// from, to, time, weight  ulong[offset[runs]]
// launch  a run per work-item

#include "keyed.h"
#include "sampling/literature/stream.h"
#include "sampling/literature/stream_held.h"

__kernel void held_ends(const int runs, const int room, const int buckets, const int heap, __global int *restrict ints,
                        __global ulong *restrict longs, __global ulong *restrict from, __global ulong *restrict to,
                        __global ulong *restrict time, __global ulong *restrict weight, __global const long *restrict offset)
{
    FOR_ITEMS(run, runs) {
        const Held h = held_of(run, room, buckets, ints, longs);
        for (long i = offset[run]; i < offset[run + 1]; i++) {
            const int place = (int)(i - offset[run]), e = heap ? h.heap[place] : place;
            from[i] = h.names.id[h.vertex[2 * e]];
            to[i] = h.names.id[h.vertex[2 * e + 1]];
            time[i] = h.time[e];
            weight[i] = h.weight[e];
        }
    }
}
