// pairs.h: a hash table of edges, without order of their ends: int[mask + 1], -1 or the number of an edge.
//
// Which place an edge has depends on the timing, which edges have one does not: of equal ones the smallest number.

static inline uint pair_place(int u, int v)
{
    uint h = (uint)min(u, v) * 0x9E3779B1u ^ ((uint)max(u, v) + 0x7F4A7C15u) * 0x85EBCA77u;
    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
    h = (h ^ (h >> 12)) * 0x297A2D39u;
    return h ^ (h >> 15);
}

static inline bool pair_same(int a, int b, int c, int d)
{
    return min(a, b) == min(c, d) && max(a, b) == max(c, d);
}

// Enter edge e. Of equal edges the smallest number stays, but one that is settled (settled may be NULL) stays anyhow.
// The ends do not change in the launch, so that whichever equal edge is met is as good.
static inline void pair_enter(int e, __global const int *tail, __global const int *head,
                              __global const uchar *settled, __global int *table, uint mask)
{
    const int u = tail[e], v = head[e];
    for (uint at = pair_place(u, v) & mask;; at = (at + 1) & mask) {
        const int other = atomic_cmpxchg(&table[at], -1, e);
        if (other == -1)
            return;
        if (pair_same(tail[other], head[other], u, v)) {
            if (!settled || !settled[other])
                atomic_min(&table[at], e);
            return;
        }
    }
}

// The number of the edge u-v, or -1; in launches that enter nothing.
static inline int pair_find(int u, int v, __global const int *tail, __global const int *head,
                            __global const int *table, uint mask)
{
    for (uint at = pair_place(u, v) & mask;; at = (at + 1) & mask) {
        const int other = table[at];
        if (other == -1 || pair_same(tail[other], head[other], u, v))
            return other;
    }
}
