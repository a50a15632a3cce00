// sampling/repair.cl: the component that batched deletion keeps, followed from batch to batch, so that the work grows
// with the batch, not with the graph (after Even, Shiloach: An On-Line Edge-Deletion Problem, J. ACM 28, 1981).
//
// Vertices are ordered by (level, number). Each except the hub, the only vertex of level 0, has a live neighbour before
// it: its support. So all vertices with a level are connected with the hub. After a batch of removals the vertices
// that have lost their last support are detached, then those supported by them alone, in waves. Then every detached
// vertex with an attached neighbour is reattached one level below it, and so are its own detached neighbours. Vertices
// that are still detached after that are not connected with the hub.
//
// level     uint[n / 4 + 1]   a byte per vertex, the lowest first: its level, 0 to DEEPEST, with the bit UNDONE while
//                             it is detached (removed vertices are detached)
// list      int[2n]           the vertices detached since the last accepted batch, each once; behind them those that
//                             have been reattached, each once
// tally     int[4]            numbers of detached and of reattached vertices; slots removed with the vertices that
//                             stayed detached; whether some level was too deep (then the levels do not hold)
// launch    padded range, ITEMS consecutive list entries per work-item
// tunables  ITEMS; LOOKS vertices are processed side by side, step by step, so that their cache misses overlap
// variants  WHOLE_ROWS 1      the batch removed vertices, whose rows of COPRA are blank then: the CSR's rows are read

#include "sampling/copra.h"

#ifndef LOOKS
#ifdef KIND_GPU
#define LOOKS 1    // on GPUs other work-items hide the latency
#else
#define LOOKS 16
#endif
#endif
#ifndef WHOLE_ROWS
#define WHOLE_ROWS 0
#endif
#define DEEPEST 126
#define UNDONE 128
// entries of the tally
#define LISTED 0
#define FILLED 1
#define LOST 2
#define DEEP 3

#define ROWS __global const OFFSET *restrict row_ptr, __global const int *restrict edges

// Stale levels are harmless, here and wherever they are read. While vertices are detached, a level can only become a
// detached one, and every detached vertex checks the vertices after it in the next wave. While they are reattached, a
// level can only become an attached one, and every reattached vertex visits its neighbours.
static inline int level_of(volatile __global uint *level, int v)
{
    return SHARED_LOAD(&level[v / 4]) >> 8 * (v & 3) & 255;
}

// Whether u comes before v, whose level is `its`.
static inline int stands_before(volatile __global uint *level, int u, int v, int its)
{
    const int at = level_of(level, u);
    return (at < its) | ((at == its) & (u < v));    // UNDONE is larger than every attached level
}

// Detaches v; returns whether this call was the first to do so.
static inline int undo(volatile __global uint *level, int v)
{
    const uint bit = (uint)UNDONE << 8 * (v & 3);
    return !(atomic_or(&level[v / 4], bit) & bit);
}

// Reattaches v, if it is detached, below a neighbour of level `before`; returns whether it did.
static inline int set_up(volatile __global uint *level, int v, int before, volatile __global int *tally)
{
    const int shift = 8 * (v & 3);
    if (before >= DEEPEST) {
        SHARED_STORE(&tally[DEEP], 1);
        return 0;
    }
    for (;;) {
        const uint word = SHARED_LOAD(&level[v / 4]);
        if (!(word >> shift & UNDONE))
            return 0;
        if (atomic_cmpxchg(&level[v / 4], word, (word & ~(255u << shift)) | (uint)(before + 1) << shift) == word)
            return 1;
    }
}

// Appends vertex[0 .. count) to the list, several at a time, because all work-items share the counter.
static inline void append(const int count, const int *vertex, __global int *list, volatile __global int *counter)
{
    if (count > 0) {
        const int at = atomic_add(counter, count);
        for (int k = 0; k < count; k++)
            list[at + k] = vertex[k];
    }
}

// Detaches those of vertex[0 .. count) without support; its[]: their levels, 0 or UNDONE for vertices to skip (level 0
// is the hub, which needs no support).
static inline void undo_hanging(const int count, const int *vertex, const int *its, ROWS, volatile __global uint *level,
                                __global int *list, volatile __global int *tally)
{
    OFFSET begin[LOOKS], end[LOOKS];
    int one[LOOKS], two[LOOKS];
    for (int k = 0; k < count; k++) {
        begin[k] = slot_of(vertex[k], row_ptr[vertex[k]]);
        end[k] = slot_of(vertex[k], row_ptr[vertex[k] + 1]);
    }
    for (int k = 0; k < count; k++) {
        one[k] = begin[k] < end[k] ? edges[begin[k]] : REMOVED;
        two[k] = begin[k] + 1 < end[k] ? edges[begin[k] + 1] : REMOVED;
    }
    int hangs[LOOKS];
    for (int k = 0; k < count; k++) {
        const int v = vertex[k];
        hangs[k] = ((one[k] >= 0) & stands_before(level, max(one[k], 0), v, its[k]))
                 | ((two[k] >= 0) & stands_before(level, max(two[k], 0), v, its[k]));
    }
    int undone = 0;
    for (int k = 0; k < count; k++) {
        if (hangs[k] || its[k] == 0 || its[k] >= UNDONE)
            continue;
        for (OFFSET s = begin[k] + 2; s < end[k] && !hangs[k]; s++)
            hangs[k] = edges[s] >= 0 && stands_before(level, edges[s], vertex[k], its[k]);
        if (!hangs[k] && undo(level, vertex[k]))
            one[undone++] = vertex[k];
    }
    append(undone, one, list, &tally[LISTED]);
}

// Attaches the hub; repair_spread makes all other levels from it.
__kernel void repair_begin(const int hub, volatile __global uint *level, __global int *list,
                           volatile __global int *tally)
{
    if (get_global_id(0) == 0 && set_up(level, hub, -1, tally))
        append(1, &hub, list, &tally[FILLED]);
}

// Of each removed edge, the later end may have been supported by the other one.
__kernel void repair_edges(const int count, __global const int *restrict vertices,
                           __global const OFFSET *restrict slots,
                           __global const int *restrict col_idx, ROWS, volatile __global uint *level,
                           __global int *list, volatile __global int *tally)
{
    const int mine = (int)min((long)get_global_id(0) * ITEMS, (long)count);
    const int last = (int)min((long)mine + ITEMS, (long)count);
    for (int i = mine; i < last; i += LOOKS) {
        const int some = min(LOOKS, last - i);
        int vertex[LOOKS], other[LOOKS], its[LOOKS];
        for (int k = 0; k < some; k++) {
            vertex[k] = vertices[i + k];
            const OFFSET slot = slots[i + k];
            other[k] = slot < 0 ? vertex[k] : col_idx[slot - 2 * ((OFFSET)vertex[k] + 1)];
        }
        for (int k = 0; k < some; k++) {
            const int one = level_of(level, vertex[k]), two = level_of(level, other[k]);
            // if one end is detached by now, the other one may still have been supported by it
            const int alone = max(one, two) >= UNDONE;
            const int behind = alone ? one < two : (one > two) | ((one == two) & (vertex[k] > other[k]));
            its[k] = other[k] == vertex[k] ? UNDONE : behind ? one : two;
            vertex[k] = behind ? vertex[k] : other[k];
        }
        undo_hanging(some, vertex, its, row_ptr, edges, level, list, tally);
    }
}

// Removed vertices are detached before all others.
__kernel void repair_vertices(const int count, __global const int *restrict vertices, volatile __global uint *level,
                              __global int *restrict list, __global int *restrict tally)
{
    FOR_ITEMS(i, count) {
        list[i] = vertices[i];
        undo(level, vertices[i]);
        if (i == 0)
            tally[LISTED] = count;
    }
}

// The neighbours after those on list[from .. to) may have been supported by them.
__kernel void repair_wave(const int from, const int to, __global const int *restrict col_idx, ROWS,
                          volatile __global uint *level, __global int *list, volatile __global int *tally)
{
    FOR_ITEMS(i, to - from) {
        const int w = list[from + i];
        const int stood = level_of(level, w) & ~UNDONE;
        int vertex[LOOKS], its[LOOKS], count = 0;
        for (OFFSET p = row_ptr[w]; p < row_ptr[w + 1]; p++) {
            const int u = WHOLE_ROWS ? col_idx[p] : edges[slot_of(w, p)];
            const int at = u < 0 ? UNDONE : level_of(level, u);
            if (at < UNDONE && (at > stood || (at == stood && u > w))) {
                vertex[count] = u;
                its[count++] = at;
            }
            if (count == LOOKS || (count > 0 && p + 1 == row_ptr[w + 1])) {
                undo_hanging(count, vertex, its, row_ptr, edges, level, list, tally);
                count = 0;
            }
        }
    }
}

// Reattaches those on list[0 .. listed) that have attached neighbours, below the one of lowest level.
__kernel void repair_mend(const int listed, ROWS, volatile __global uint *level, __global int *list,
                          volatile __global int *tally)
{
    int fresh[LOOKS], count = 0;
    FOR_ITEMS(i, listed) {
        const int v = list[i];
        int lowest = UNDONE;
        if (level_of(level, v) < UNDONE)
            continue;
        // a removed vertex has no live slot
        for (OFFSET s = slot_of(v, row_ptr[v]); s < slot_of(v, row_ptr[v + 1]); s++)
            lowest = min(lowest, edges[s] < 0 ? UNDONE : level_of(level, edges[s]));
        if (lowest < UNDONE && set_up(level, v, lowest, tally))
            fresh[count++] = v;
        if (count == LOOKS) {
            append(count, fresh, list + listed, &tally[FILLED]);
            count = 0;
        }
    }
    append(count, fresh, list + listed, &tally[FILLED]);
}

// Reattaches the detached neighbours of the reattached vertices from .. to - 1, below them.
__kernel void repair_spread(const int listed, const int from, const int to, ROWS, volatile __global uint *level,
                            __global int *list, volatile __global int *tally)
{
    int fresh[LOOKS], count = 0;
    FOR_ITEMS(i, to - from) {
        const int v = list[listed + from + i];
        const int its = level_of(level, v);
        for (OFFSET s = slot_of(v, row_ptr[v]); s < slot_of(v, row_ptr[v + 1]); s++) {
            const int u = edges[s];
            if (u >= 0 && level_of(level, u) >= UNDONE && set_up(level, u, its, tally))
                fresh[count++] = u;
            if (count == LOOKS) {
                append(count, fresh, list + listed, &tally[FILLED]);
                count = 0;
            }
        }
    }
    append(count, fresh, list + listed, &tally[FILLED]);
}

// Removes the detached ones on list[0 .. count): they are not connected with the rest, so nothing else changes.
__kernel void repair_remove(const int count, __global const int *restrict list, __global const OFFSET *restrict row_ptr,
                            volatile __global uint *level, __global OFFSET *restrict v_start,
                            __global OFFSET *restrict v_end, __global int *restrict edges,
                            volatile __global int *tally)
{
    int gone = 0;
    FOR_ITEMS(i, count) {
        const int v = list[i];
        if (level_of(level, v) < UNDONE)
            continue;
        for (OFFSET s = slot_of(v, row_ptr[v]); s < slot_of(v, row_ptr[v + 1]); s++) {
            gone += edges[s] != REMOVED;
            edges[s] = REMOVED;
        }
        v_start[v] = REMOVED;
        v_end[v] = REMOVED;
    }
    if (gone)
        atomic_add(&tally[LOST], gone);
}
