// scale/bfs.cl: a level of a breadth-first search whose rows come shard by shard.
//
// frontier, visited, next   uint[]   a bit for each vertex of the graph; `next` may hold visited vertices, too
// launch    shard_push, shard_pull, shard_before, shard_owners: a work-item takes ITEMS consecutive rows of the shard
//           shard_step: a work-item takes ITEMS consecutive words of 32 vertices
// tunables  ITEMS; OFFSET: type of row_ptr

#ifndef OFFSET
#define OFFSET int
#endif

#define HAS(bits, v) ((bits)[(uint)(v) >> 5] >> ((v) & 31) & 1u)

// Rows hold the heads of arcs that leave: those of frontier vertices are marked.
__kernel void shard_push(const int rows, const int first_row, __global const OFFSET *restrict row_ptr,
                         __global const int *restrict col_idx, __global const uint *restrict frontier,
                         __global const uint *restrict visited, volatile __global uint *next)
{
    FOR_ITEMS(r, rows)
        if (HAS(frontier, first_row + r))
            for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1]; p++) {
                const int v = col_idx[p];
                if (!HAS(visited, v))
                    atomic_or(&next[(uint)v >> 5], 1u << (v & 31));
            }
}

// Rows hold the tails of arcs that enter: a vertex with one in the frontier is marked.
__kernel void shard_pull(const int rows, const int first_row, __global const OFFSET *restrict row_ptr,
                         __global const int *restrict col_idx, __global const uint *restrict frontier,
                         __global const uint *restrict visited, volatile __global uint *next)
{
    FOR_ITEMS(r, rows) {
        const int v = first_row + r;
        if (!HAS(visited, v))
            for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1]; p++)
                if (HAS(frontier, col_idx[p])) {
                    atomic_or(&next[(uint)v >> 5], 1u << (v & 31));
                    break;
                }
    }
}

// The vertices that are new make the next frontier, at this distance; `next` becomes empty; `count` adds them up.
__kernel void shard_step(const int words, const int n, const int level, __global uint *restrict frontier,
                         __global uint *restrict visited, __global uint *restrict next,
                         __global int *restrict distance, volatile __global int *count)
{
    int found = 0;
    FOR_ITEMS(w, words) {
        const uint fresh = next[w] & ~visited[w];
        next[w] = 0;
        frontier[w] = fresh;
        visited[w] |= fresh;
        for (uint left = fresh; left; left &= left - 1)
            distance[32 * w + (31 - (int)clz(left & (0u - left)))] = level;
        found += (int)popcount(fresh);
    }
    if (found)
        atomic_add(count, found);
}

// The smallest source among those of the vertices before each one at this distance; only theirs are written.
__kernel void shard_owners(const int rows, const int first_row, const int level, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col_idx, __global const int *restrict distance,
                           __global int *owner)
{
    FOR_ITEMS(r, rows)
        if (distance[first_row + r] == level) {
            int found = 0x7fffffff;
            for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1]; p++)
                if (distance[col_idx[p]] == level - 1)
                    found = min(found, owner[col_idx[p]]);
            owner[first_row + r] = found;
        }
}

// The smallest vertex before each one on a shortest path; rows hold the tails of arcs that enter.
__kernel void shard_before(const int rows, const int first_row, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col_idx, __global const int *restrict distance,
                           __global int *restrict before)
{
    FOR_ITEMS(r, rows) {
        const int own = distance[first_row + r];
        int found = -1;
        if (own > 0)
            for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1] && found < 0; p++)
                if (distance[col_idx[p]] == own - 1)
                    found = col_idx[p];
        before[r] = found;
    }
}
