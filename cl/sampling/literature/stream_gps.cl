// sampling/literature/stream_gps.cl: graph priority sampling of a stream (gps; Ahmed, Duffield, Willke, Rossi 2017).
//
// Edge t of weight w has the priority w / u, u its number in (0, 1]; the `room` largest stay. z is the largest priority that
// was dropped, and an edge's probability min(1, w / z). The weight is 1 + `triangles` for each triangle that the edge closes
// with edges held, or given. Each triangle closed adds 1 / (p1 p2) to a sum as it comes (the in-stream estimate).
//
// Priorities are compared crosswise, as products of 128 bits; of equal ones the later edge goes first.
//
// state   ulong[runs][16]   0 edges held, 1 vertices so far, 2 a free vertex slot + 1, 3 next place in the chunk, 4 and 5 z's w
//         and u, 6 and 7 the sum in units of 2^-32 (the lower and the upper word)
// heap    the edge of smallest priority is at the top
// launch  a run per work-item, `acts` edges each at most; the rest as in stream_pies.cl and stream_held.h

#include "keyed.h"
#include "sampling/literature/stream.h"
#include "sampling/literature/stream_held.h"

#define HELD 0
#define VERTICES 1
#define FREE 2
#define PLACE 3
#define Z 4
#define SUM 6

// Whether w / u < x / y.
static inline int is_less(ulong w, ulong u, ulong x, ulong y)
{
    const ulong left = mul_hi(w, y), right = mul_hi(x, u);
    return left < right || (left == right && w * y < x * u);
}

static inline int goes_first(const Held *h, int e, int f)
{
    if (is_less(h->weight[e], h->luck[e], h->weight[f], h->luck[f])) return 1;
    if (is_less(h->weight[f], h->luck[f], h->weight[e], h->luck[e])) return 0;
    return h->time[e] > h->time[f];
}

static inline void heap_push(const Held *h, int e, int many)
{
    int i = many;
    for (; i > 0 && goes_first(h, e, h->heap[(i - 1) / 2]); i = (i - 1) / 2)
        h->heap[i] = h->heap[(i - 1) / 2];
    h->heap[i] = e;
}

// e comes to the top.
static inline void heap_sink(const Held *h, int e, int many)
{
    int i = 0;
    for (int child = 1; child < many; child = 2 * i + 1) {
        if (child + 1 < many && goes_first(h, h->heap[child + 1], h->heap[child])) child++;
        if (!goes_first(h, h->heap[child], e)) break;
        h->heap[i] = h->heap[child];
        i = child;
    }
    h->heap[i] = e;
}

// 1 / p of an edge of weight w as `part` 2^-31 times 2^`by`; 1 where w / z is at least 1.
static inline uint inverse(ulong w, __global const ulong *z, int *by)
{
    ulong high = mul_hi(w, z[1]), low = w * z[1];
    *by = 0;
    if (high >= z[0]) return 1u << 31;
    int shift = high ? (int)clz(high) : 64 + (int)clz(low);   // w z's u is not 0
    const ulong top = shift >= 64 ? low << (shift - 64) : shift ? high << shift | low >> (64 - shift) : high;
    const int c = (int)clz(z[0]);
    ulong q = (z[0] << c) / (top >> 32);                       // 2^31 .. 2^33
    int e = shift - c - 32 + 31;
    for (; q >> 32; q >>= 1)
        e++;
    *by = e;
    return (uint)q;
}

// Adds 1 / (p1 p2) to a sum.
static inline void add_pair(ulong w1, ulong w2, __global const ulong *z, __global ulong *sum)
{
    int e1, e2;
    const ulong one = inverse(w1, z, &e1), other = inverse(w2, z, &e2);
    const ulong product = one * other;                         // times 2^(e1 + e2 - 62)
    const int left = e1 + e2 - 30;                             // in units of 2^-32
    ulong low = 0, high = 0;
    if (left <= -64) return;
    if (left <= 0) low = product >> -left;
    else if (left < 64) {
        low = product << left;
        high = product >> (64 - left);
    } else high = left < 128 ? product << (left - 64) : 0xFFFFFFFFUL;
    const ulong before = sum[0];
    sum[0] = before + low;
    sum[1] += high + (sum[0] < before);
}

// How many triangles an edge between a and b closes; adds each to the sum.
static inline ulong closed(const Held *h, int a, int b, __global const ulong *z, __global ulong *sum)
{
    const int from = h->degree[a] <= h->degree[b] ? a : b, to = a + b - from;
    ulong many = 0;
    for (int side = h->first[from]; side >= 0; side = h->after[side]) {
        const int x = h->vertex[side ^ 1];
        for (int e = h->pairs[pair_bucket(h, x, to)]; e >= 0; e = h->same[e])
            if (joins(h, e, x, to)) {
                many++;
                add_pair(h->weight[side >> 1], h->weight[e], z, sum);
            }
    }
    return many;
}

static inline int slot_for(const Held *h, ulong id, __global ulong *mine)
{
    int slot = slot_of(&h->names, id);
    if (slot < 0) {
        slot = (int)mine[FREE] - 1;
        if (slot < 0) slot = (int)mine[VERTICES]++;
        else mine[FREE] = (ulong)h->names.next[slot];
        put_name(&h->names, slot, id);
        h->first[slot] = -1;
        h->degree[slot] = 0;
    }
    return slot;
}

static inline void let_go(const Held *h, int v, __global ulong *mine)
{
    if (h->degree[v] > 0) return;
    drop_name(&h->names, v);
    h->names.next[v] = (int)mine[FREE];
    mine[FREE] = (ulong)v + 1;
}

__kernel void gps_step(const int runs, const ulong seed, const int room, const int buckets, const int acts, const long count,
                       const long stride, const ulong before, __global const ulong *restrict tail,
                       __global const ulong *restrict head, __global const ulong *restrict given, const ulong triangles,
                       __global int *restrict ints, __global ulong *restrict longs, __global ulong *restrict state,
                       volatile __global int *restrict waiting)
{
    FOR_ITEMS(run, runs) {
        const Held h = held_of(run, room, buckets, ints, longs);
        __global ulong *mine = state + 16L * run;
        __global ulong *z = mine + Z;
        int held = (int)mine[HELD];
        long at = (long)mine[PLACE];
        const long last = min(count, at + acts);
        for (; at < last; at++) {
            const ulong u = tail[run * stride + at], v = head[run * stride + at], t = before + (ulong)at + 1;
            const int a = slot_of(&h.names, u), b = slot_of(&h.names, v);
            const ulong many = a >= 0 && b >= 0 ? closed(&h, a, b, z, mine + SUM) : 0;
            const ulong w = given ? given[run * stride + at] : 1 + triangles * many;
            const ulong luck = keyed_a(arrival(seed + run, t, 0)) | 1;
            int e = held;
            if (w == 0) continue;   // of given weights: never drawn
            if (held == room) {
                // the new edge is the latest, so it goes where its priority equals that of the top
                const int top = h.heap[0];
                const int stays = is_less(h.weight[top], h.luck[top], w, luck);
                const ulong lost = stays ? h.weight[top] : w, by = stays ? h.luck[top] : luck;
                if (is_less(z[0], z[1], lost, by)) {
                    z[0] = lost;
                    z[1] = by;
                }
                if (!stays) continue;
                const int x = h.vertex[2 * top], y = h.vertex[2 * top + 1];
                unlink_edge(&h, top);
                let_go(&h, x, mine);
                let_go(&h, y, mine);
                e = top;
            }
            h.time[e] = t;
            h.weight[e] = w;
            h.luck[e] = luck;
            const int one = slot_for(&h, u, mine);
            link_edge(&h, e, one, slot_for(&h, v, mine));
            if (held < room) heap_push(&h, e, held++);
            else heap_sink(&h, e, held);
        }
        mine[HELD] = (ulong)held;
        mine[PLACE] = (ulong)at;
        if (at < count) atomic_inc(&waiting[0]);
    }
}

// The ends of the edges held.
__kernel void held_ends(const int runs, const int room, const int buckets, __global int *restrict ints,
                        __global ulong *restrict longs, __global ulong *restrict from, __global ulong *restrict to,
                        __global const long *restrict offset)
{
    FOR_ITEMS(run, runs) {
        const Held h = held_of(run, room, buckets, ints, longs);
        const long first = offset[run];
        for (long e = 0; first + e < offset[run + 1]; e++) {
            from[first + e] = h.names.id[h.vertex[2 * e]];
            to[first + e] = h.names.id[h.vertex[2 * e + 1]];
        }
    }
}
