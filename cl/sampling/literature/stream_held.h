// sampling/literature/stream_held.h: edges that a run holds of a stream, in rows by vertex and by their ends; after stream.h.
//
// Edge e has the halves 2 e and 2 e + 1; half h lies in the row of the vertex vertex[h] and leads to vertex[h ^ 1]. Parallel
// edges are edges of their own.
//
// ints    int[runs][2 buckets + 14 room]      buckets of vertices and of edges, then the arrays of slots, as in held_of
// longs   ulong[runs][5 room]                 ids (2 room), time, weight, luck of each edge

typedef struct {
    Names names;
    __global int *first, *degree;              // of a vertex: the first side of its row; halves in it
    __global int *pairs, *same;                // chains of edges by their ends
    __global int *vertex, *after, *before;     // of a side
    __global int *heap;
    __global ulong *time, *weight, *luck;
} Held;

#define INTS(room, buckets) (2L * (buckets) + 6L * (room) + 8L * (room))
#define LONGS(room) (5L * (room))

static inline Held held_of(int run, int room, int buckets, __global int *ints, __global ulong *longs)
{
    Held h;
    __global int *at = ints + (long)run * INTS(room, buckets);
    __global ulong *wide = longs + (long)run * LONGS(room);
    h.names.bucket = at;
    h.pairs = at + buckets;
    h.names.next = at + 2L * buckets;
    h.first = h.names.next + 2L * room;
    h.degree = h.first + 2L * room;
    h.vertex = h.degree + 2L * room;
    h.after = h.vertex + 2L * room;
    h.before = h.after + 2L * room;
    h.same = h.before + 2L * room;
    h.heap = h.same + room;
    h.names.mask = (uint)buckets - 1;
    h.names.id = wide;
    h.time = wide + 2L * room;
    h.weight = h.time + room;
    h.luck = h.weight + room;
    return h;
}

static inline uint pair_bucket(const Held *h, int a, int b)
{
    return bucket_of((ulong)min(a, b) << 32 | (uint)max(a, b), h->names.mask);
}

static inline int joins(const Held *h, int e, int a, int b)
{
    const int x = h->vertex[2 * e], y = h->vertex[2 * e + 1];
    return (x == a && y == b) || (x == b && y == a);
}

static inline void link_half(const Held *h, int side, int v)
{
    const int old = h->first[v];
    h->vertex[side] = v;
    h->after[side] = old;
    h->before[side] = -1;
    if (old >= 0) h->before[old] = side;
    h->first[v] = side;
    h->degree[v]++;
}

static inline void link_edge(const Held *h, int e, int a, int b)
{
    const uint at = pair_bucket(h, a, b);
    link_half(h, 2 * e, a);
    link_half(h, 2 * e + 1, b);
    h->same[e] = h->pairs[at];
    h->pairs[at] = e;
}

static inline void unlink_half(const Held *h, int side)
{
    const int v = h->vertex[side], next = h->after[side], last = h->before[side];
    if (next >= 0) h->before[next] = last;
    if (last >= 0) h->after[last] = next;
    else h->first[v] = next;
    h->degree[v]--;
}

static inline void unlink_edge(const Held *h, int e)
{
    __global int *link = &h->pairs[pair_bucket(h, h->vertex[2 * e], h->vertex[2 * e + 1])];
    while (*link != e)
        link = &h->same[*link];
    *link = h->same[e];
    unlink_half(h, 2 * e);
    unlink_half(h, 2 * e + 1);
}

// The edges that runs hold, run after run; heap: whether it names their slots, which else are in order.
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
