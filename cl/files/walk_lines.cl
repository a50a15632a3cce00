// files/walk_lines.cl: walks as the lines of a text: the ids of a walk's vertices by blanks, each line ended by a line feed.
//
// Ids are spelt once each (files/write_edges.cl, spell_ids). Each work-item takes RUN consecutive walks: lines_lengths says how
// many bytes they have, the host sums them up, and lines_put copies the cells to where they belong.
//
// rows        int[][columns]   vertices of each walk; what follows its end is -1
// cells       ulong[WORDS][n]  see files/cells.h; sizes uchar[n]: bytes of each
// lengths     int[runs]        bytes of each run; then the bytes before it, from walk `first` on
// text        uchar[]
// launch      one work-item per run of the walks first .. last - 1
// tunables    RUN: 1 on GPUs, hundreds on CPUs; WORDS as in files/write_edges.cl

#include "files/cells.h"

#ifndef RUN
#define RUN 1
#endif
#ifndef WORDS
#define WORDS 3
#endif

// for (each walk w of this work-item) for (each vertex v of it)
#define FOR_WALKS(w) \
    for (long w = min(first + (long)get_global_id(0) * RUN, last), w##_end = min(w + RUN, last); w < w##_end; w++)
#define FOR_VERTICES(v, w)                                                                      \
    for (long k##v = w * columns, v##_end = k##v + columns; k##v < v##_end; k##v = v##_end)     \
        for (int v; k##v < v##_end && (v = rows[k##v]) >= 0; k##v++)

__kernel void lines_lengths(const int columns, const long first, const long last, __global const int *restrict rows,
                            __global const uchar *restrict sizes, __global int *restrict lengths)
{
    int length = 0;
    FOR_WALKS(w)
        FOR_VERTICES(v, w)
            length += sizes[v];
    if (first + (long)get_global_id(0) * RUN < last) lengths[get_global_id(0)] = length;
}

// before: of one run more than there are
__kernel void lines_put(const int n, const int columns, const long first, const long last,
                        __global const int *restrict rows, __global const ulong *restrict cells,
                        __global const int *restrict before, __global uchar *restrict text)
{
    const int mine = first + (long)get_global_id(0) * RUN < last;
    int at = mine ? before[get_global_id(0)] : 0;
    const int end = mine ? before[get_global_id(0) + 1] : 0;
    FOR_WALKS(w) {
        FOR_VERTICES(v, w)
            at = put(text, at, end, WORDS, cells, n, v);
        text[at - 1] = '\n';
    }
}
