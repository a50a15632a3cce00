// sampling/literature/stream_gsh.cl: graph sample and hold (gsh; Ahmed, Duffield, Neville, Kompella 2014).
//
// Edge t is held if its coin is below q where it touches a held edge, else below p; `closing`: always where it closes a
// triangle of held edges. Its weight says by which of these (0: p, 1: q, 2: closing).
//
// limit   ulong[2]        floor(2^64 p), floor(2^64 q); sure int: bits 0 and 1 where these are 2^64
// state   long[runs][8]   0 edges held, 1 vertices, 2 next place in the chunk
// launch  a run per work-item, `acts` edges each at most; the rest as in stream_pies.cl and stream_held.h

#include "keyed.h"
#include "sampling/literature/stream.h"
#include "sampling/literature/stream_held.h"

#define HELD 0
#define VERTICES 1
#define PLACE 2

// The slot of a vertex, a new one where it has none.
static inline int slot_for(const Held *h, ulong id, int *vertices)
{
    int slot = slot_of(&h->names, id);
    if (slot < 0) {
        slot = (*vertices)++;
        put_name(&h->names, slot, id);
        h->first[slot] = -1;
        h->degree[slot] = 0;
    }
    return slot;
}

// Whether an edge between a and b would close a triangle.
static inline int closes(const Held *h, int a, int b)
{
    const int from = h->degree[a] <= h->degree[b] ? a : b, to = a + b - from;
    for (int side = h->first[from]; side >= 0; side = h->after[side]) {
        const int x = h->vertex[side ^ 1];
        for (int e = h->pairs[pair_bucket(h, x, to)]; e >= 0; e = h->same[e])
            if (joins(h, e, x, to)) return 1;
    }
    return 0;
}

__kernel void gsh_step(const int runs, const ulong seed, const int room, const int buckets, const int acts, const long count,
                       const long stride, const ulong before, __global const ulong *restrict tail,
                       __global const ulong *restrict head, __global const ulong *restrict limit, const int sure,
                       const int closing, __global int *restrict ints, __global ulong *restrict longs,
                       __global long *restrict state, volatile __global int *restrict waiting)
{
    FOR_ITEMS(run, runs) {
        const Held h = held_of(run, room, buckets, ints, longs);
        __global long *mine = state + 8L * run;
        int held = (int)mine[HELD], vertices = (int)mine[VERTICES];
        long at = mine[PLACE];
        const long last = min(count, at + acts);
        for (; at < last && held < room; at++) {
            const ulong u = tail[run * stride + at], v = head[run * stride + at], t = before + (ulong)at + 1;
            const int a = slot_of(&h.names, u), b = slot_of(&h.names, v);
            const int touches = a >= 0 || b >= 0, by = touches ? 1 : 0;
            const int near = closing && a >= 0 && b >= 0 && closes(&h, a, b);
            if (near || (sure >> by & 1) || keyed_a(arrival(seed + run, t, 0)) < limit[by]) {
                h.time[held] = t;
                h.weight[held] = near ? 2 : by;
                const int one = slot_for(&h, u, &vertices);
                link_edge(&h, held++, one, slot_for(&h, v, &vertices));
            }
        }
        mine[HELD] = held;
        mine[VERTICES] = vertices;
        mine[PLACE] = at;
        if (at < count) atomic_inc(&waiting[held == room ? 1 : 0]);
    }
}

// The same edges in a larger area.
__kernel void gsh_grow(const int runs, const int room, const int buckets, const int wider, const int more_buckets,
                       __global int *restrict ints, __global ulong *restrict longs, __global int *restrict more_ints,
                       __global ulong *restrict more_longs, __global long *restrict state)
{
    FOR_ITEMS(run, runs) {
        const Held old = held_of(run, room, buckets, ints, longs);
        const Held made = held_of(run, wider, more_buckets, more_ints, more_longs);
        const int held = (int)state[8L * run + HELD];
        int vertices = 0;
        for (int e = 0; e < held; e++) {
            made.time[e] = old.time[e];
            made.weight[e] = old.weight[e];
            const int one = slot_for(&made, old.names.id[old.vertex[2 * e]], &vertices);
            link_edge(&made, e, one, slot_for(&made, old.names.id[old.vertex[2 * e + 1]], &vertices));
        }
    }
}
