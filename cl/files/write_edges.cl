// files/write_edges.cl: the edges of a graph as the rows of a text: id, separator, id, line feed; with weights (WEIGHTED)
// another separator and the weight before that.
//
// spell_ids spells each vertex once, into a cell of WORDS words. Then each work-item takes RUN consecutive arcs:
// spell_lengths says how many bytes its rows have, the host sums them up, and spell_rows copies the cells to where they
// belong, whole words at a time: what is too much of one is overwritten by the next, but for the end of a run, behind
// which the rows of another work-item begin. Of an undirected edge the arc to the larger index is written.
//
// row_ptr     OFFSET[n + 1]
// col_idx     int[arcs]
// ids         ID[n]            null where an id is the vertex's number
// cells       ulong[WORDS][n]  digits and the separator, the first in the lowest byte of word 0
// sizes       uchar[n]         bytes of a cell
// weight_cells, weight_sizes   of the arcs from `first` on, from files/write_weights.cl; null without weights
// lengths     int[runs]        bytes of each run; then the bytes before it, from arc `first` on
// text        uchar[]
// launch      spell_ids: padded range, ITEMS consecutive vertices per work-item; the others: one work-item per run of
//             the arcs first .. last - 1
// tunables    RUN: 64 on GPUs, thousands on CPUs; WORDS: 1 for ids of up to 7 digits, 2 up to 15, else 3

#include "files/write_edges.h"
#include "files/cells.h"

#ifndef ID
#define ID long
#endif
#ifndef WORDS
#define WORDS 3
#endif
#ifndef WEIGHTED
#define WEIGHTED 0
#endif

__kernel void spell_ids(const int n, const uchar separator, __global const ID *restrict ids,
                        __global ulong *restrict cells, __global uchar *restrict sizes)
{
    FOR_ITEMS(v, n) {
        ulong left = ids ? (ulong)ids[v] : (ulong)v;
        int digits = 1;
        for (ulong rest = left; rest > 9; rest /= 10)
            digits++;
        ulong cell[WORDS] = {0};
        cell[digits >> 3] = (ulong)separator << 8 * (digits & 7);
        for (int i = digits - 1; i >= 0; i--) {
            const ulong rest = left / 10;
            cell[i >> 3] |= ('0' + left - rest * 10) << 8 * (i & 7);
            left = rest;
        }
        for (int k = 0; k < WORDS; k++)
            cells[(long)k * n + v] = cell[k];
        sizes[v] = (uchar)(digits + 1);
    }
}

__kernel void spell_lengths(const int n, const long first, const long last, const int directed,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const uchar *restrict sizes, __global const uchar *restrict weight_sizes,
                            __global int *restrict lengths)
{
    int length = 0;
    FOR_ROWS(v, p)
        if (directed || v <= col_idx[p])
            length += sizes[v] + sizes[col_idx[p]] + (WEIGHTED ? weight_sizes[p - first] : 0);
    if (first + (long)get_global_id(0) * RUN < last)
        lengths[get_global_id(0)] = length;
}

// before: of one run more than there are; room: weights that there is room for.
__kernel void spell_rows(const int n, const long first, const long last, const int directed,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global const ulong *restrict cells, const int room,
                         __global const ulong *restrict weight_cells, __global const int *restrict before,
                         __global uchar *restrict text)
{
    const int mine = first + (long)get_global_id(0) * RUN < last;
    int at = mine ? before[get_global_id(0)] : 0;
    const int end = mine ? before[get_global_id(0) + 1] : 0;
    FOR_ROWS(v, p)
        if (directed || v <= col_idx[p]) {
            at = put(text, at, end, WORDS, cells, n, v);
            at = put(text, at, end, WORDS, cells, n, col_idx[p]);
            if (WEIGHTED)
                at = put(text, at, end, WEIGHT_WORDS, weight_cells, room, (int)(p - first));
            else
                text[at - 1] = '\n';
        }
}
