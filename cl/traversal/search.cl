// traversal/search.cl: breadth-first search: its start, the thesis's array frontier, and the conversions between queue
// and bitmaps.
//
// Two methods use these kernels:
//   frontier   thesis Algorithm 5 (after Harish & Narayanan, HiPC 2007): every level looks at every vertex. It has a
//              frontier and a next frontier, where the thesis has one array (a vertex marked during a launch could be
//              expanded in the same launch, which gave wrong distances), and a count, where the thesis has a racing
//              flag.
//   hybrid     direction-optimising (Beamer, Asanovic, Patterson: SC 2012): search_push.cl while the frontier is small,
//              search_pull.cl while it is large, search_fused.cl for runs of small levels in one launch.
//
// layout      traversal/search.h; visited, front: bitmaps, vertex v is bit v % 32 of word v / 32; a work-item or a
//             work-group owns whole words, so they are written without atomics. Vertices without arcs count as visited
//             in the bitmaps (no pull can reach them), and so do the bits past n.
// launch      padded ranges; TEAM: one vertex per work-item, a work-group builds its words in local memory (local size
//             a multiple of 32, at most 1024); otherwise ITEMS consecutive vertices (a multiple of 32) per work-item
// tunables    ITEMS (1 on GPUs, 256 to 2048 on CPUs), TEAM (GPUs)

#include "traversal/search.h"

// Nothing is reached yet; the state says that level 0 holds `sources` vertices.
__kernel void bfs_fill(const int n, const uint sources, __global uint *restrict distance,
                       __global uint *restrict predecessor, __global uint *restrict owner,
                       __global uchar *restrict frontier, __global uchar *restrict next, __global uint *restrict state)
{
    FOR_ITEMS(v, n) {
        distance[v] = NONE;
#ifdef PREDECESSOR
        predecessor[v] = NONE;
#endif
#ifdef OWNER
        owner[v] = NONE;
#endif
#ifdef FRONTIER
        frontier[v] = 0;
        next[v] = 0;
#endif
    }
    if (get_global_id(0) == 0) {
        for (uint k = 0; k < STATE_SIZE; k++)
            state[k] = 0;
        state[SLOT(0) + COUNT] = sources;
    }
}

// Level 0: one work-item per source (no source twice).
__kernel void bfs_start(const uint sources, __global const uint *restrict source, const uint shift,
                        __global const OFFSET *restrict row_ptr, __global uint *restrict distance,
                        __global uint *restrict owner, __global uchar *restrict frontier,
                        __global uint *restrict queue, __global uint *restrict longs, volatile __global uint *state)
{
    const uint i = get_global_id(0);
    if (i < sources) {
        const uint s = source[i];
        distance[s] = 0;
#ifdef OWNER
        owner[s] = s;
#endif
#ifdef FRONTIER
        frontier[s] = 1;
#else
        queue[i] = s;
        atomic_add(&state[SLOT(0) + ARCS], announce(s, 0, shift, row_ptr, longs, state));
#endif
    }
}

// Algorithm 5: one level of the `frontier` method.
__kernel void bfs_frontier(const int n, const uint level, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col_idx, __global uchar *restrict frontier,
                           __global uchar *restrict next, volatile __global uint *distance,
                           volatile __global uint *predecessor, volatile __global uint *owner,
                           volatile __global uint *state)
{
    uint found = 0;
    FOR_ITEMS(v, n) {
        if (frontier[v]) {
            frontier[v] = 0;   // written by this work-item only, and clear when the two arrays swap
            for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
                const uint u = col_idx[e];
                if (reach(v, u, level + 1, distance, predecessor, owner)) {
                    next[u] = 1;   // done by one work-item only: the first to reach u
                    found++;
                }
            }
        }
    }
    if (found)
        atomic_add(&state[SLOT(level + 1) + COUNT], found);
    if (get_global_id(0) == 0)
        clear_slot((__global uint *)state, level + 2);
}

// The bitmaps from which a pull step starts, from the distances. `row_ptr` is that of the in-arcs.
__kernel void bfs_bitmaps(const int n, const uint level, __global const OFFSET *restrict row_ptr,
                          __global const uint *restrict distance, __global uint *restrict visited,
                          __global uint *restrict front)
{
    const int words = n / 32 + (n % 32 != 0);
#ifdef TEAM
    __local uint seen[32], here[32];
    const int lid = get_local_id(0), v = get_global_id(0);
    if (lid < 32) {
        seen[lid] = 0;
        here[lid] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint d = v < n ? distance[v] : 0;
    if (v >= n || d != NONE || row_ptr[v] == row_ptr[v + 1])
        atomic_or(&seen[lid / 32], 1u << (lid % 32));
    if (v < n && d == level)
        atomic_or(&here[lid / 32], 1u << (lid % 32));
    barrier(CLK_LOCAL_MEM_FENCE);
    const int word = v / 32 - lid / 32 + lid;   // the group's words, one per work-item
    if (lid < (int)get_local_size(0) / 32 && word < words) {
        visited[word] = seen[lid];
        front[word] = here[lid];
    }
#else
    for (int w = get_global_id(0) * (ITEMS / 32), k = 0; k < ITEMS / 32 && w < words; w++, k++) {
        uint seen = 0, here = 0;
        for (int bit = 0; bit < 32; bit++) {
            const int v = 32 * w + bit;
            const uint d = v < n ? distance[v] : 0;
            seen |= (uint)(v >= n || d != NONE || row_ptr[v] == row_ptr[v + 1]) << bit;
            here |= (uint)(v < n && d == level) << bit;
        }
        visited[w] = seen;
        front[w] = here;
    }
#endif
}

// From the bitmap of `level`'s frontier back to a queue; one word (CPUs: ITEMS / 32 words) per work-item.
__kernel void bfs_collect(const int n, const uint level, const uint shift, __global const OFFSET *restrict row_ptr,
                          __global const uint *restrict front, __global uint *restrict queue,
                          __global uint *restrict longs, volatile __global uint *state)
{
    __local uint taken, base, arcs;
    const int words = n / 32 + (n % 32 != 0);
    const int each = ITEMS < 32 ? 1 : ITEMS / 32;
    const int begin = min((int)get_global_id(0), words / each + 1) * each, end = min(begin + each, words);
    if (get_local_id(0) == 0) {
        taken = 0;
        arcs = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint mine = 0, units = 0;
    for (int w = begin; w < end; w++)
        mine += popcount(front[w]);
    uint place = mine ? atomic_add(&taken, mine) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        base = taken ? atomic_add(&state[SLOT(level) + PLACE], taken) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    place += base;
    for (int w = begin; w < end; w++) {
        for (uint left = front[w]; left; left &= left - 1) {
            const uint v = 32 * w + (31 - clz(left & -left));
            queue[place++] = v;
            units += announce(v, level, shift, row_ptr, longs, state);
        }
    }
    if (units)
        atomic_add(&arcs, units);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && arcs)
        atomic_add(&state[SLOT(level) + ARCS], arcs);
}
