// traversal/blocks.cl: a level of one breadth-first search, or of up to 64 at once, whose rows come block by block.
//
// layout      LANES 32 or 64: traversal/many.h; first and last steps are those of traversal/many*.cl
//             LANES 1: seen, front and next are bitmaps, vertex v is bit v % 32 of word v / 32; `next` may hold seen
//             vertices, too; distances are int[n], -1 where not reached
// groups      uint[]   not 0: of these 4096 vertices some can add to the level
// launch      block_push, block_pull, block_before, block_owners: a work-item takes RUN consecutive entries of the block
//             and finds the first one's row by bisection, so that rows may be of any length; RUN 0: ITEMS whole rows
//             block_step: ITEMS consecutive words of 32 vertices; the others: runs of ITEMS vertices
// tunables    RUN, ITEMS, LANES; OFFSET: type of row_ptr

#include "traversal/many.h"
#include "csr/arcs.h"

#define BLOCK \
    const int rows, const int first_row, const long entries, __global const OFFSET *restrict row_ptr, \
    __global const int *restrict col_idx
#define GROUP_BITS 12

#if LANES == 1
#define BITS_OF(bits, v) ((bits)[(uint)(v) >> 5] >> ((v) & 31) & 1u)
#define ACTIVE_IN(state, level) 1u

static inline void mark(volatile __global uint *next, const int v, const uint bits)
{
    if (!(SHARED_LOAD(&next[(uint)v >> 5]) >> (v & 31) & 1u))   // stale: it is set once more
        atomic_or(&next[(uint)v >> 5], bits << (v & 31));
}
#else
#define BITS_OF(bits, v) ((bits)[v])
#define ACTIVE_IN(state, level) active_in(state, level)
#define mark(next, v, bits) or_bits(&(next)[v], bits)
#endif

// Rows hold the heads of arcs that leave: the searches that have a row's vertex in their frontier pass on to them.
__kernel void block_push(BLOCK, __global const BITS *restrict seen, __global const BITS *restrict front,
                         volatile __global BITS *next)
{
    FOR_ROW_PARTS(row, p, stop, rows, entries) {
        const BITS mine = BITS_OF(front, first_row + row);
        for (long e = p; mine && e < stop; e++) {
            const BITS fresh = mine & ~BITS_OF(seen, col_idx[e]);
            if (fresh)
                mark(next, col_idx[e], fresh);
        }
    }
}

// Rows hold the tails of arcs that enter: a vertex that lacks an active search collects from them until it has all.
__kernel void block_pull(BLOCK, __global const BITS *restrict seen, __global const BITS *restrict front,
                         volatile __global BITS *next, const uint level, volatile __global uint *state)
{
    const BITS active = ACTIVE_IN(state, level);
    FOR_ROW_PARTS(row, p, stop, rows, entries) {
        const BITS wanted = active & ~BITS_OF(seen, first_row + row);
        BITS got = 0;
        for (long e = p; e < stop && wanted & ~got; e++)
            got |= BITS_OF(front, col_idx[e]);
        if (got & wanted)
            mark(next, first_row + row, got & wanted);
    }
}

#if LANES == 1

// The vertices that are new make the next frontier, at this distance; `next` becomes empty; `count` adds them up.
__kernel void block_step(const int n, const int level, __global uint *restrict front, __global uint *restrict seen,
                         __global uint *restrict next, __global int *restrict distance, volatile __global int *count)
{
    int found = 0;
    FOR_ITEMS(w, n / 32 + (n % 32 != 0)) {
        const uint fresh = next[w] & ~seen[w];
        next[w] = 0;
        front[w] = fresh;
        seen[w] |= fresh;
        for (uint left = fresh; left; left &= left - 1)
            distance[32 * w + (31 - (int)clz(left & (0u - left)))] = level;
        found += (int)popcount(fresh);
    }
    if (found)
        atomic_add(count, found);
}

// The smallest source among those of the vertices before each one at this distance; the largest uint where none is yet.
__kernel void block_owners(BLOCK, const int level, __global const int *restrict distance, volatile __global uint *owner)
{
    FOR_ROW_PARTS(row, p, stop, rows, entries) {
        uint found = UINT_MAX;
        if (p < stop && distance[first_row + row] == level)
            for (long e = p; e < stop; e++)
                if (distance[col_idx[e]] == level - 1)
                    found = min(found, SHARED_LOAD(&owner[col_idx[e]]));   // of the level before: nobody writes to it
        if (found != UINT_MAX)
            atomic_min(&owner[first_row + row], found);
    }
}

// The smallest vertex before each one on a shortest path; `before` holds the largest uint where none is. Rows ascend.
__kernel void block_before(BLOCK, __global const int *restrict distance, volatile __global uint *before)
{
    FOR_ROW_PARTS(row, p, stop, rows, entries) {
        const int own = distance[first_row + row];
        for (long e = p; own > 0 && e < stop; e++)
            if (distance[col_idx[e]] == own - 1) {
                atomic_min(&before[row], (uint)col_idx[e]);
                break;
            }
    }
}

#else

// Where vertices are in some frontier, or (not `pushes`) lack an active search.
__kernel void block_groups(const int n, const uint level, const int pushes, __global const BITS *restrict seen,
                           __global const BITS *restrict front, volatile __global uint *state,
                           volatile __global uint *groups)
{
    const BITS active = active_in(state, level);
    FOR_ITEMS(v, n)
        if (pushes ? front[v] : active & ~seen[v])
            if (!SHARED_LOAD(&groups[v >> GROUP_BITS]))   // stale: it is set once more
                atomic_or(&groups[v >> GROUP_BITS], 1u);
}

#endif
