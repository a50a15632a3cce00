// sampling/literature/paths.cl: shortest paths between random pairs (sp; Rezvanian, Meybodi 2015).
//
// Pairs go by 32 at a time, a bit each: a level of the searches from all their first vertices is one pass over the graph.
// Then each path is walked back from its end, at v to the predecessor u of smallest number(v, u, pair; ARC), and counts
// at its edges. Pair i is drawn by draw(i).
//
// seen, front, next  uint[runs * n]: the searches that have seen a vertex, in this level, in the next one
// far     int[runs * n * 32]: the level in which each search saw it, where it did
// use     int[runs * arcs]: paths by each edge, at its first copy in the row of its smaller end
// mark    int[runs * n]: 1 where a path came by; touched int[runs]: how many
// live    int[runs]: 0: no more pairs
// rank    int[runs * arcs]: edges by paths, most first, then by priority
// launch  begin, walk: 32 work-items by runs; level, first, keys: padded range over vertices, by runs; words, rank: over
//         all arcs of all runs. ITEMS consecutive ones per work-item

#include "csr/arcs.h"
#include "keyed.h"
#include "sampling/literature/clock.h"

__kernel void paths_begin(const int n, const ulong seed, const int first, const int end,
                          __global const int *restrict live, volatile __global uint *restrict seen,
                          volatile __global uint *restrict front, __global int *restrict far)
{
    const int run = (int)get_global_id(1), lane = (int)get_global_id(0);
    if (lane < 32 && first + lane < end && live[run]) {
        const philox4x32_ctr_t x = keyed_words(seed + run, (uint)(first + lane), 0, 0, TAG_DRAW);
        const long slot = (long)run * n + (long)mul_hi(keyed_a(x), (ulong)n);
        atomic_or(&seen[slot], 1u << lane);
        atomic_or(&front[slot], 1u << lane);
        far[slot * 32 + lane] = 0;
    }
}

__kernel void paths_level(const int n, const int level, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict col_idx, __global const int *restrict live,
                          __global const uint *restrict front, __global uint *restrict seen, __global uint *restrict next,
                          __global int *restrict far, volatile __global int *restrict going)
{
    const int run = (int)get_global_id(1);
    const long base = (long)run * n;
    int found = 0;
    FOR_ITEMS(v, live[run] ? n : 0) {
        const uint before = seen[base + v];
        uint here = 0;
        for (OFFSET p = row_ptr[v]; ~before && p < row_ptr[v + 1]; p++)
            here |= front[base + col_idx[p]];
        here &= ~before;
        next[base + v] = here;
        if (here) {
            seen[base + v] = before | here;
            for (int lane = 0; lane < 32; lane++)
                if (here >> lane & 1) far[(base + v) * 32 + lane] = level;
            found = 1;
        }
    }
    if (found) atomic_or(going, 1);
}

__kernel void paths_walk(const int n, const ulong seed, const int first, const int end,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global const int *restrict live, __global const uint *restrict seen,
                         __global const int *restrict far, volatile __global int *restrict use,
                         volatile __global int *restrict mark, volatile __global int *restrict touched)
{
    const int run = (int)get_global_id(1), lane = (int)get_global_id(0);
    if (lane < 32 && first + lane < end && live[run]) {
        const long base = (long)run * n;
        const uint pair = (uint)(first + lane);
        int v = (int)mul_hi(keyed_b(keyed_words(seed + run, pair, 0, 0, TAG_DRAW)), (ulong)n);
        int level = seen[base + v] >> lane & 1 ? far[(base + v) * 32 + lane] : 0;
        if (level && !atomic_or(&mark[base + v], 1)) atomic_inc(&touched[run]);
        for (; level > 0; level--) {
            int to = -1;
            ulong least = 0;
            for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
                const int u = col_idx[p];
                if ((seen[base + u] >> lane & 1) && far[(base + u) * 32 + lane] == level - 1) {
                    const ulong x = keyed_a(keyed_words(seed + run, (uint)v, (uint)u, pair, TAG_ARC));
                    if (to < 0 || x < least) {
                        to = u;
                        least = x;
                    }
                }
            }
            atomic_inc(&use[(long)run * row_ptr[n] + place_of(row_ptr, col_idx, min(v, to), max(v, to))]);
            v = to;
            if (!atomic_or(&mark[base + v], 1)) atomic_inc(&touched[run]);
        }
    }
}

// 32 bits of what edges are sorted by, in the order of `place` (NULL: as they are): of their priorities (0, 1), how few
// paths use them (2), their runs (3).
__kernel void paths_words(const int many, const int n, const int arcs, const ulong seed, const int which,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const int *restrict tail, __global const int *restrict use,
                          __global const int *restrict place, __global uint *restrict word)
{
    FOR_ITEMS(i, many) {
        const int at = place ? place[i] : i, run = at / arcs, p = at - run * arcs;
        if (which < 2) {
            const ulong x = use[at] ? edge_priority(seed + run, (uint)tail[p], (uint)col_idx[p], 0) : 0;
            word[i] = (uint)(x >> (32 * which));
        }
        else word[i] = which == 2 ? ~(uint)use[at] : (uint)run;
    }
}

__kernel void paths_rank(const int many, const int arcs, __global const int *restrict use,
                         __global const int *restrict place, __global ulong *restrict rank)
{
    FOR_ITEMS(i, many) rank[place[i]] = use[place[i]] ? (ulong)(i - i / arcs * arcs) : NONE;
}

// The best rank of each vertex's edges.
__kernel void paths_first(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const ulong *restrict rank, __global ulong *restrict first)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n) {
        ulong least = NONE;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
            const OFFSET own = u > v ? p : place_of(row_ptr, col_idx, u, v);
            least = min(least, rank[(long)run * row_ptr[n] + own]);
        }
        first[(long)run * n + v] = least;
    }
}
