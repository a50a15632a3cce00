// sampling/repair.cl: the component that batched deletion keeps, followed from batch to batch (in the manner of Even, Shiloach:
// An On-Line Edge-Deletion Problem, J. ACM 28, 1981): the work goes with the batch, not with the graph.
//
// A vertex hangs on a live neighbour that stands before it, by (level, number); so everything hangs on the one vertex
// of level 0. When a batch has gone, the vertices that hang on nothing any more are undone, then those that hung on them
// alone, in waves; then every one of them that has a neighbour which still stands takes its place behind that, and so do
// its undone neighbours behind it. What is left over is not connected with the rest.
//
// level     uint[n / 4 + 1]   a byte a vertex, the lowest first: where it stands, 0 to DEEPEST, with the bit UNDONE once
//                             it is undone (a vertex that is not there is)
// list      int[2n]           the undone ones since the last batch that was accepted, each once; behind them those that
//                             have been set up again, each once
// tally     int[4]            numbers of the undone, of the ones set up again, and of slots that went with what was left
//                             over; whether a level was too deep (then nothing holds)
// launch    padded range, ITEMS consecutive things a work-item
// tunables  ITEMS; LOOKS vertices are looked at side by side, step by step, so that their cache misses overlap
// variants  WHOLE_ROWS 1      the batch removed vertices: whose row of COPRA is blank then, so the CSR's is read instead

#include "sampling/copra.h"

#ifndef LOOKS
#ifdef KIND_GPU
#define LOOKS 1    // there it is other work-items that fill the wait
#else
#define LOOKS 16
#endif
#endif
#ifndef WHOLE_ROWS
#define WHOLE_ROWS 0
#endif
#define DEEPEST 126
#define UNDONE 128
// places in the tally
#define LISTED 0
#define FILLED 1
#define LOST 2
#define DEEP 3

#define ROWS __global const OFFSET *restrict row_ptr, __global const int *restrict edges

// Stale is harmless, here and wherever levels are read: while vertices are undone a level only turns to an undone one,
// and whoever is undone sees to the vertices behind it in the next wave; while they are set up again it only turns to
// one that stands, and whoever is set up sees to its neighbours.
static inline int level_of(volatile __global uint *level, int v)
{
    return SHARED_LOAD(&level[v / 4]) >> 8 * (v & 3) & 255;
}

// Whether u stands before v, which stands at `its`.
static inline int stands_before(volatile __global uint *level, int u, int v, int its)
{
    const int at = level_of(level, u);
    return (at < its) | ((at == its) & (u < v));    // UNDONE is above every level that stands
}

// Marks v as undone; whether this was the first to do so.
static inline int undo(volatile __global uint *level, int v)
{
    const uint bit = (uint)UNDONE << 8 * (v & 3);
    return !(atomic_or(&level[v / 4], bit) & bit);
}

// Sets up v, if it is undone, behind a neighbour at `before`; whether it did.
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

// Puts vertex[0 .. count) behind what the list holds already. Some at a time: the counter is everybody's.
static inline void append(const int count, const int *vertex, __global int *list, volatile __global int *counter)
{
    if (count > 0) {
        const int at = atomic_add(counter, count);
        for (int k = 0; k < count; k++)
            list[at + k] = vertex[k];
    }
}

// Undoes those of vertex[0 .. count) that hang on nothing; its[]: their levels, 0 or UNDONE for one not to be looked at
// (what stands at 0 is what all hang on).
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

// Sets up the vertex that all others hang on; the rest of the levels comes by repair_spread from there.
__kernel void repair_begin(const int hub, volatile __global uint *level, __global int *list,
                           volatile __global int *tally)
{
    if (get_global_id(0) == 0 && set_up(level, hub, -1, tally))
        append(1, &hub, list, &tally[FILLED]);
}

// Of each removed edge the end that stands behind the other may have hung on it.
__kernel void repair_edges(const int count, __global const int *restrict vertices, __global const OFFSET *restrict slots,
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
            // where one of them is undone by now, the other one may have hung on it all the same
            const int alone = max(one, two) >= UNDONE;
            const int behind = alone ? one < two : (one > two) | ((one == two) & (vertex[k] > other[k]));
            its[k] = other[k] == vertex[k] ? UNDONE : behind ? one : two;
            vertex[k] = behind ? vertex[k] : other[k];
        }
        undo_hanging(some, vertex, its, row_ptr, edges, level, list, tally);
    }
}

// Removed vertices are undone before all others.
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

// The neighbours that stand behind those on list[from .. to) may have hung on them.
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

// Those on list[0 .. listed) that have a neighbour which stands are set up behind the one of lowest level.
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

// The undone neighbours of the from-th to the (to - 1)-th that was set up are set up behind them.
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

// Removes those on list[0 .. count) that are undone: they are not connected with the rest, so nothing else is touched.
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
