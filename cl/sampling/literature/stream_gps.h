// sampling/literature/stream_gps.h: graph priority sampling of a stream (gps; Ahmed, Duffield, Willke, Rossi 2017); after
// stream_held.h.
//
// Edge t of weight w has the priority w / u, u its number in (0, 1]; a number of them, the largest, stay: the reservoir. z is
// the largest priority that was dropped, and an edge's probability min(1, w / z). Edges come in blocks. The weight is 1 +
// `triangles` for each triangle that the edge closes with edges of the reservoir as it was when the block began, or given (and
// a block is one edge). Each triangle closed adds 1 / (p1 p2) to a sum as it comes, p = 1 for edges of the same block (the
// in-stream estimate).
//
// Priorities are compared crosswise, as products of 128 bits; of equal ones the later edge goes first.
//
// room    edges of the reservoir and of a block
// state   ulong[runs][16]   0 edges held, 1 vertices so far, 2 a free vertex slot + 1, 3 next place in the chunk, 4 and 5 z's w
//         and u, 6 and 7 the sum in units of 2^-32 (the lower and the upper word), 8 edges of the block so far
// heap    of the edges held, that of smallest priority is at the top; then the block's edges as they came, then free slots

#define HELD 0
#define VERTICES 1
#define FREE 2
#define PLACE 3
#define Z 4
#define SUM 6
#define PENDING 8

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

#define HEAP const Held *h
#define SLOTS h->heap
#define BEFORE(e, f) goes_first(h, e, f)
#include "sampling/literature/heap.h"

// 1 / p of edge e as `part` 2^-31 times 2^`by`; 1 where w / z is at least 1, and of edges that came after `begin`.
static inline uint inverse(const Held *h, int e, ulong begin, __global const ulong *z, int *by)
{
    *by = 0;
    if (h->time[e] > begin) return 1u << 31;
    const ulong w = h->weight[e], high = mul_hi(w, z[1]), low = w * z[1];
    if (high >= z[0]) return 1u << 31;
    int shift = high ? (int)clz(high) : 64 + (int)clz(low);   // w z's u is not 0
    const ulong top = shift >= 64 ? low << (shift - 64) : shift ? high << shift | low >> (64 - shift) : high;
    const int c = (int)clz(z[0]);
    ulong q = (z[0] << c) / (top >> 32);                       // 2^31 .. 2^33
    int exponent = shift - c - 32 + 31;
    for (; q >> 32; q >>= 1)
        exponent++;
    *by = exponent;
    return (uint)q;
}

// Adds 1 / (p1 p2) of two edges to a sum.
static inline void add_pair(const Held *h, int e, int f, ulong begin, __global const ulong *z, __global ulong *sum)
{
    int e1, e2;
    const ulong one = inverse(h, e, begin, z, &e1), other = inverse(h, f, begin, z, &e2);
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

// How many triangles an edge between a and b that comes at time t closes with edges from before the block, which began
// after `begin`; adds each, and those with earlier edges of the block, to the sum.
static inline ulong closed(const Held *h, int a, int b, ulong t, ulong begin, __global const ulong *z, __global ulong *sum)
{
    const int from = h->degree[a] <= h->degree[b] ? a : b, to = a + b - from;
    ulong many = 0;
    for (int side = h->first[from]; side >= 0; side = h->after[side]) {
        const int x = h->vertex[side ^ 1];
        for (int e = h->pairs[pair_bucket(h, x, to)]; e >= 0; e = h->same[e])
            if (joins(h, e, x, to)) {
                const ulong last = max(h->time[e], h->time[side >> 1]);
                if (last >= t) continue;
                many += last <= begin;
                add_pair(h, side >> 1, e, begin, z, sum);
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

// The slot at a place behind the heap: those that no edge ever had follow in order.
static inline int slot_at(const Held *h, int place)
{
    const int slot = h->heap[place];
    return slot < 0 ? h->heap[place] = place : slot;
}

// A new edge of a block, in no row so far.
static inline int note_edge(const Held *h, int place, ulong t, ulong w, ulong luck)
{
    const int e = slot_at(h, place);
    h->time[e] = t;
    h->weight[e] = w;
    h->luck[e] = luck;
    h->vertex[2 * e] = -1;
    return e;
}

static inline void enter_edge(const Held *h, int e, ulong u, ulong v, __global ulong *mine)
{
    const int one = slot_for(h, u, mine);
    link_edge(h, e, one, slot_for(h, v, mine));
}

// Takes a block's edges into the reservoir, whose `target` largest stay; the only one in no row is between u and v.
static inline void keep_block(const Held *h, int target, ulong u, ulong v, __global ulong *mine)
{
    __global ulong *z = mine + Z;
    int held = (int)mine[HELD], place = held;
    for (int left = (int)mine[PENDING]; left > 0; left--) {
        const int e = h->heap[place], linked = h->vertex[2 * e] >= 0;
        int stays = 1;
        if (held < target) {
            heap_rise(e, held++, h);
            place++;
        } else {
            // the new edge is the latest, so it goes where its priority equals that of the top
            const int top = h->heap[0];
            stays = is_less(h->weight[top], h->luck[top], h->weight[e], h->luck[e]);
            const int lost = stays ? top : e;
            if (is_less(z[0], z[1], h->weight[lost], h->luck[lost])) {
                z[0] = h->weight[lost];
                z[1] = h->luck[lost];
            }
            if (stays) heap_sink(e, 0, held, h);
            h->heap[place++] = lost;
            if (stays || linked) {
                const int x = h->vertex[2 * lost], y = h->vertex[2 * lost + 1];
                unlink_edge(h, lost);
                let_go(h, x, mine);
                let_go(h, y, mine);
            }
        }
        if (stays && !linked) enter_edge(h, e, u, v, mine);
    }
    mine[HELD] = (ulong)held;
    mine[PENDING] = 0;
}
