// traversal/many_expand.cl: distances of many searches, from the bit planes of traversal/many.cl.
//
// position   int[n]             RENUMBERED: a vertex's position in the arrays below (traversal/renumber.cl)
// seen       BITS[n]            bit i: search i has reached the vertex
// planes     BITS[PLANES rows]  bit b of the distances is plane b; without RENUMBERED rows is n
// distance   DIST[k n]          row i: distances of search i, -1 where not reached
//
// launch     runs of ITEMS vertices per work-item; row by row within a run, so that writes are consecutive
// tunables   TEAM (GPUs; never RENUMBERED), ITEMS, LANES (32 or 64), PLANES, DIST (char, short, int)

#ifndef LANES
#define LANES 64
#endif
#ifndef PLANES
#define PLANES 4
#endif
#ifndef DIST
#define DIST char
#endif
#if LANES == 64
#define BITS ulong
#else
#define BITS uint
#endif

// vertices whose bits are loaded together: their arrays should stay in the inner caches
#define RUN (PLANES <= 4 ? 512 : 64)

#ifdef RENUMBERED
#define PLACE_OF(v) ((uint)position[v])
#else
#define PLACE_OF(v) ((uint)(v))
#endif

// Planes one by one, without a loop: only so do the compilers work on many vertices at once. What is above PLANES is 0.
#define PLANE(b) ((b) < PLANES ? (bits[(b) < PLANES ? (b) : 0][k] >> shift & 1) << (b) : 0)
#define FOUR_PLANES(b) (PLANE(b) | PLANE((b) + 1) | PLANE((b) + 2) | PLANE((b) + 3))
#if PLANES <= 4
#define ALL_PLANES FOUR_PLANES(0)
#elif PLANES <= 8
#define ALL_PLANES (FOUR_PLANES(0) | FOUR_PLANES(4))
#else
#define ALL_PLANES                                                                                    \
    (FOUR_PLANES(0) | FOUR_PLANES(4) | FOUR_PLANES(8) | FOUR_PLANES(12) | FOUR_PLANES(16) |            \
     FOUR_PLANES(20) | FOUR_PLANES(24) | FOUR_PLANES(28))
#endif

__kernel void bfs_many_expand(const int n, const int rows, const int searches, __global const int *restrict position,
                              __global const BITS *restrict seen, __global const BITS *restrict planes,
                              __global DIST *restrict distance)
{
#ifdef TEAM
    for (int i = 0; i < searches; i++) {
        __global DIST *row = distance + (size_t)i * n;
        FOR_ITEMS(v, n) {
            int d = 0;
            for (int b = 0; b < PLANES; b++)
                d |= (int)(planes[(size_t)b * n + v] >> i & 1) << b;
            row[v] = (DIST)(seen[v] >> i & 1 ? d : -1);
        }
    }
#else
    // RUN vertices and eight searches at a time, their bits as bytes: the compiler works on 64 vertices at once
    BITS word[PLANES + 1][RUN];
    uchar bits[PLANES + 1][RUN];
    const int first = (int)min((long)get_global_id(0) * ITEMS, (long)n), last = (int)min((long)first + ITEMS, (long)n);
    for (int begin = first; begin < last; begin += RUN) {
        const int count = min(RUN, last - begin);
        for (int k = 0; k < count; k++) {
            const uint at = PLACE_OF(begin + k);
            word[PLANES][k] = seen[at];
            for (int b = 0; b < PLANES; b++)   // without a row: not in the planes, a source at most
                word[b][k] = at < (uint)rows ? planes[(size_t)b * rows + at] : 0;
        }
        for (int group = 0; group < searches; group += 8) {
            for (int b = 0; b <= PLANES; b++)
                for (int k = 0; k < count; k++)
                    bits[b][k] = (uchar)(word[b][k] >> group);
            for (int i = group; i < min(group + 8, searches); i++) {
                __global DIST *row = distance + (size_t)i * n + begin;
                const int shift = i - group;
                for (int k = 0; k < count; k++)
                    row[k] = (DIST)(ALL_PLANES | ((bits[PLANES][k] >> shift & 1) - 1));   // -1 where not reached
            }
        }
    }
#endif
}
