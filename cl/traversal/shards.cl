// traversal/shards.cl: a level of a breadth-first search whose rows come shard by shard.
//
// frontier, visited, next   uint[]   a bit for each vertex of the graph; `next` may hold visited vertices, too
// count, pieces             int[1], int[2][]   with LONG: rows of more than LONG entries are noted there, cut into pieces
//                           of LONG entries (of each the row, and the piece's number); kernels of pieces come after
// launch    shard_push, shard_pull, shard_before, shard_owners: a work-item takes ITEMS consecutive rows of the shard
//           the same with _pieces: any number of work-groups share the pieces
//           shard_step: a work-item takes ITEMS consecutive words of 32 vertices
// tunables  ITEMS; LONG (0: no row is cut); OFFSET: type of row_ptr

#ifndef OFFSET
#define OFFSET int
#endif

#ifndef LONG
#define LONG 0
#endif

#define NONE 0x7fffffff   // above all vertices
#define HAS(bits, v) ((bits)[(uint)(v) >> 5] >> ((v) & 31) & 1u)

// Notes the pieces of a row that is long; whether it is.
static inline bool cut(const int r, __global const OFFSET *row_ptr, volatile __global int *count, __global int *pieces)
{
#if LONG
    const OFFSET length = row_ptr[r + 1] - row_ptr[r];
    if (length <= LONG)
        return false;
    const int parts = (int)((length + LONG - 1) / LONG), at = atomic_add(count, parts);
    for (int k = 0; k < parts; k++) {
        pieces[2 * (at + k)] = r;
        pieces[2 * (at + k) + 1] = k;
    }
    return true;
#else
    return false;
#endif
}

#if LONG
// A work-group's pieces one after the other: r is the row, and each work-item has its entries p.
#define FOR_PIECES                                                                                                  \
    for (int k = get_group_id(0); k < *count; k += get_num_groups(0))                                               \
        for (OFFSET r = pieces[2 * k], p = row_ptr[r] + (OFFSET)pieces[2 * k + 1] * LONG + get_local_id(0),         \
                    end = min(p - (OFFSET)get_local_id(0) + LONG, row_ptr[r + 1]);                                  \
             p < end; p += get_local_size(0))
#endif

// Rows hold the heads of arcs that leave: those of frontier vertices are marked.
__kernel void shard_push(const int rows, const int first_row, __global const OFFSET *restrict row_ptr,
                         __global const int *restrict col_idx, __global const uint *restrict frontier,
                         __global const uint *restrict visited, volatile __global uint *next,
                         volatile __global int *count, __global int *restrict pieces)
{
    FOR_ITEMS(r, rows)
        if (HAS(frontier, first_row + r) && !cut(r, row_ptr, count, pieces))
            for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1]; p++) {
                const int v = col_idx[p];
                if (!HAS(visited, v))
                    atomic_or(&next[(uint)v >> 5], 1u << (v & 31));
            }
}

#if LONG
__kernel void shard_push_pieces(const int first_row, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const uint *restrict frontier,
                                __global const uint *restrict visited, volatile __global uint *next,
                                __global const int *restrict count, __global const int *restrict pieces)
{
    FOR_PIECES {
        const int v = col_idx[p];
        if (!HAS(visited, v))
            atomic_or(&next[(uint)v >> 5], 1u << (v & 31));
    }
}
#endif

// Rows hold the tails of arcs that enter: a vertex with one in the frontier is marked.
__kernel void shard_pull(const int rows, const int first_row, __global const OFFSET *restrict row_ptr,
                         __global const int *restrict col_idx, __global const uint *restrict frontier,
                         __global const uint *restrict visited, volatile __global uint *next,
                         volatile __global int *count, __global int *restrict pieces)
{
    FOR_ITEMS(r, rows) {
        const int v = first_row + r;
        if (!HAS(visited, v) && !cut(r, row_ptr, count, pieces))
            for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1]; p++)
                if (HAS(frontier, col_idx[p])) {
                    atomic_or(&next[(uint)v >> 5], 1u << (v & 31));
                    break;
                }
    }
}

#if LONG
__kernel void shard_pull_pieces(const int first_row, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const uint *restrict frontier,
                                __global const uint *restrict visited, volatile __global uint *next,
                                __global const int *restrict count, __global const int *restrict pieces)
{
    FOR_PIECES {
        const int v = first_row + (int)r;
        if (!(SHARED_LOAD(&next[(uint)v >> 5]) >> (v & 31) & 1u) && HAS(frontier, col_idx[p]))
            atomic_or(&next[(uint)v >> 5], 1u << (v & 31));
    }
}
#endif

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
                           __global int *owner, volatile __global int *count, __global int *restrict pieces)
{
    FOR_ITEMS(r, rows)
        if (distance[first_row + r] == level) {
            int found = NONE;
            if (!cut(r, row_ptr, count, pieces))
                for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1]; p++)
                    if (distance[col_idx[p]] == level - 1)
                        found = min(found, owner[col_idx[p]]);
            owner[first_row + r] = found;
        }
}

#if LONG
__kernel void shard_owners_pieces(const int first_row, const int level, __global const OFFSET *restrict row_ptr,
                                  __global const int *restrict col_idx, __global const int *restrict distance,
                                  volatile __global int *owner, __global const int *restrict count,
                                  __global const int *restrict pieces)
{
    FOR_PIECES {
        const int u = col_idx[p];
        if (distance[u] == level - 1 && owner[u] < SHARED_LOAD(&owner[first_row + r]))
            atomic_min(&owner[first_row + r], owner[u]);
    }
}
#endif

// The smallest vertex before each one on a shortest path; rows hold the tails of arcs that enter.
__kernel void shard_before(const int rows, const int first_row, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col_idx, __global const int *restrict distance,
                           __global int *restrict before, volatile __global int *count, __global int *restrict pieces)
{
    FOR_ITEMS(r, rows) {
        const int own = distance[first_row + r];
        int found = -1;
        if (own > 0 && cut(r, row_ptr, count, pieces))
            found = NONE;
        else if (own > 0)
            for (OFFSET p = row_ptr[r]; p < row_ptr[r + 1] && found < 0; p++)
                if (distance[col_idx[p]] == own - 1)
                    found = col_idx[p];
        before[r] = found;
    }
}

#if LONG
__kernel void shard_before_pieces(const int first_row, __global const OFFSET *restrict row_ptr,
                                  __global const int *restrict col_idx, __global const int *restrict distance,
                                  volatile __global int *before, __global const int *restrict count,
                                  __global const int *restrict pieces)
{
    FOR_PIECES
        if (col_idx[p] < SHARED_LOAD(&before[r]) && distance[col_idx[p]] == distance[first_row + r] - 1)
            atomic_min(&before[r], col_idx[p]);
}
#endif
