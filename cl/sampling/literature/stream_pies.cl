// sampling/literature/stream_pies.cl: partially induced edge sampling of a stream (pies; Ahmed, Neville, Kompella 2014).
//
// Edges are taken until the vertices are there. Of those after that, edge t enters if its coin is below m0 / t: each end that
// is missing takes the slot of a uniform vertex held, never that of its own partner. An edge with both ends held stays,
// as long as neither is replaced: it is noted with its time, and dropped later where an end came after it.
//
// ints    int[runs][buckets + slots]           as in stream.h
// longs   ulong[runs][2 slots + 3 room]        ids; when each vertex came; ends and times of the edges noted
// state   long[runs][8]   0 vertices held, 1 edges noted, 2 m0 (-1: not all vertices are there), 3 next place in the chunk
// tail, head  ulong[count], or [runs][count] with `stride` = count: the chunk's edges without loops; the first has time
//         `before` + 1
// launch  a run per work-item, `acts` edges each at most

#include "keyed.h"
#include "sampling/literature/stream.h"

#define HELD 0
#define NOTED 1
#define FULL 2
#define PLACE 3

static inline Names names_of(int run, int slots, int buckets, __global int *ints, __global ulong *longs, int room)
{
    Names names;
    names.bucket = ints + (long)run * (buckets + slots);
    names.next = names.bucket + buckets;
    names.id = longs + (long)run * (2L * slots + 3L * room);
    names.mask = (uint)buckets - 1;
    return names;
}

__kernel void pies_step(const int runs, const ulong seed, const int slots, const int buckets, const int room, const int acts,
                        const long count, const long stride, const ulong before, __global const ulong *restrict tail,
                        __global const ulong *restrict head, __global int *restrict ints, __global ulong *restrict longs,
                        __global long *restrict state, volatile __global int *restrict waiting)
{
    FOR_ITEMS(run, runs) {
        const Names names = names_of(run, slots, buckets, ints, longs, room);
        __global ulong *entered = names.id + slots;
        __global ulong *from = entered + slots, *to = from + room, *time = to + room;
        __global long *mine = state + 8L * run;
        int held = (int)mine[HELD], noted = (int)mine[NOTED];
        long full = mine[FULL], at = mine[PLACE];
        const long last = min(count, at + acts);
        for (; at < last && noted < room; at++) {
            const ulong u = tail[run * stride + at], v = head[run * stride + at], t = before + (ulong)at + 1;
            int a = slot_of(&names, u), b = slot_of(&names, v);
            const int missing = (a < 0) + (b < 0);
            if (full < 0 && held + missing > slots) full = (long)t - 1;
            if (full < 0) {
                if (a < 0) {
                    put_name(&names, a = held, u);
                    entered[held++] = t;
                }
                if (b < 0) {
                    put_name(&names, b = held, v);
                    entered[held++] = t;
                }
                if (held == slots) full = (long)t;
            } else if (missing && mul_hi(keyed_a(arrival(seed + run, t, 0)), t) < (ulong)full) {
                const philox4x32_ctr_t x = arrival(seed + run, t, 1);
                if (a < 0) {
                    const int partner = b;
                    a = (int)mul_hi(keyed_a(x), (ulong)(partner < 0 ? held : held - 1));
                    if (partner >= 0 && a >= partner) a++;
                    drop_name(&names, a);
                    put_name(&names, a, u);
                    entered[a] = t;
                }
                if (b < 0) {
                    b = (int)mul_hi(keyed_b(x), (ulong)(held - 1));
                    if (b >= a) b++;
                    drop_name(&names, b);
                    put_name(&names, b, v);
                    entered[b] = t;
                }
            }
            if (a >= 0 && b >= 0) {
                from[noted] = u;
                to[noted] = v;
                time[noted++] = t;
            }
        }
        mine[HELD] = held;
        mine[NOTED] = noted;
        mine[FULL] = full;
        mine[PLACE] = at;
        if (at < count) atomic_inc(&waiting[noted == room ? 1 : 0]);
    }
}

// Drops the edges of which an end was replaced.
__kernel void pies_settle(const int runs, const int slots, const int buckets, const int room, __global int *restrict ints,
                          __global ulong *restrict longs, __global long *restrict state)
{
    FOR_ITEMS(run, runs) {
        const Names names = names_of(run, slots, buckets, ints, longs, room);
        __global ulong *entered = names.id + slots;
        __global ulong *from = entered + slots, *to = from + room, *time = to + room;
        const int noted = (int)state[8L * run + NOTED];
        int left = 0;
        for (int e = 0; e < noted; e++) {
            const int a = slot_of(&names, from[e]), b = slot_of(&names, to[e]);
            if (a >= 0 && b >= 0 && entered[a] <= time[e] && entered[b] <= time[e]) {
                from[left] = from[e];
                to[left] = to[e];
                time[left++] = time[e];
            }
        }
        state[8L * run + NOTED] = left;
    }
}

// The same with room for more edges.
__kernel void pies_grow(const int runs, const int slots, const int room, const int wider, __global const ulong *restrict longs,
                        __global const long *restrict state, __global ulong *restrict more)
{
    FOR_ITEMS(run, runs) {
        __global const ulong *old = longs + (long)run * (2L * slots + 3L * room);
        __global ulong *made = more + (long)run * (2L * slots + 3L * wider);
        const int noted = (int)state[8L * run + NOTED], held = (int)state[8L * run + HELD];
        for (int i = 0; i < held; i++) {
            made[i] = old[i];
            made[slots + i] = old[slots + i];
        }
        for (int k = 0; k < 3; k++)
            for (int e = 0; e < noted; e++)
                made[2L * slots + (long)k * wider + e] = old[2L * slots + (long)k * room + e];
    }
}
