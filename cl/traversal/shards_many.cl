// traversal/shards_many.cl: a level of up to 64 breadth-first searches at once, a bit each, whose rows come shard by
// shard.
//
// layout      traversal/many.h; first and last steps are those of traversal/many*.cl
// blocks      uint[]   not 0: of these 4096 vertices some can add to the level
// launch      shard_hand_on, shard_collect: a work-item takes SPAN consecutive entries of the shard and finds the first
//             one's row by bisection; the others: runs of ITEMS vertices
// tunables    SPAN, ITEMS, LANES (32 or 64); OFFSET: type of row_ptr

#include "traversal/many.h"
#include "csr/arcs.h"

#ifndef SPAN
#ifdef KIND_GPU
#define SPAN 8
#else
#define SPAN 4096
#endif
#endif

#define BLOCK_BITS 12

// Rows hold the heads of arcs that leave: the searches that have a row's vertex in their frontier pass on to them.
__kernel void shard_hand_on(const int rows, const int first_row, const long entries,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const BITS *restrict seen, __global const BITS *restrict front,
                            volatile __global BITS *next)
{
    const long begin = min((long)get_global_id(0) * SPAN, entries), end = min(begin + SPAN, entries);
    int row = begin < end ? row_of(begin, 0, rows, row_ptr) : 0;
    for (long p = begin; p < end; row++) {
        const long stop = min(end, (long)row_ptr[row + 1]);
        const BITS mine = p < stop ? front[first_row + row] : 0;
        for (; mine && p < stop; p++) {
            const int v = col_idx[p];
            const BITS fresh = mine & ~seen[v];
            if (fresh)
                or_bits(&next[v], fresh);
        }
        p = max(p, stop);
    }
}

// Rows hold the tails of arcs that enter: a vertex that lacks an active search collects from them until it has all.
__kernel void shard_collect(const int rows, const int first_row, const long entries,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const BITS *restrict seen, __global const BITS *restrict front,
                            volatile __global BITS *next, const uint level, volatile __global uint *state)
{
    const BITS active = active_in(state, level);
    const long begin = min((long)get_global_id(0) * SPAN, entries), end = min(begin + SPAN, entries);
    int row = begin < end ? row_of(begin, 0, rows, row_ptr) : 0;
    for (long p = begin; p < end; row++) {
        const long stop = min(end, (long)row_ptr[row + 1]);
        const BITS wanted = p < stop ? active & ~seen[first_row + row] : 0;
        BITS got = 0;
        for (; p < stop && wanted & ~got; p++)
            got |= front[col_idx[p]];
        if (got & wanted)
            or_bits(&next[first_row + row], got & wanted);
        p = max(p, stop);
    }
}

// Where vertices are in some frontier, or (not `pushes`) lack an active search.
__kernel void shard_blocks(const int n, const uint level, const int pushes, __global const BITS *restrict seen,
                           __global const BITS *restrict front, volatile __global uint *state,
                           volatile __global uint *blocks)
{
    const BITS active = active_in(state, level);
    FOR_ITEMS(v, n)
        if (pushes ? front[v] : active & ~seen[v])
            if (!SHARED_LOAD(&blocks[v >> BLOCK_BITS]))   // stale: it is set once more
                atomic_or(&blocks[v >> BLOCK_BITS], 1u);
}

// Brings in what another rank has found.
__kernel void shard_join_found(const int n, __global const BITS *restrict other, __global BITS *restrict next)
{
    FOR_ITEMS(v, n)
        next[v] |= other[v];
}
