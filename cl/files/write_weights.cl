// files/write_weights.cl: the weights of a piece's arcs as Python writes them: the shortest decimal, with an exponent
// beyond 16 digits before the point or 4 zeros behind it.
//
// Each work-item takes RUN consecutive arcs, as in files/write_edges.cl, which copies the cells to where they belong.
//
// row_ptr, col_idx, directed, first, last   as in files/write_edges.cl
// weight      ulong[arcs]             bits of float64
// powers      ulong[]                 see files/shortest.h
// cells       ulong[4][room]          text and a line feed, the first byte in the lowest of word 0; of the arcs from
//                                     `first` on
// sizes       uchar[room]             bytes of a cell
// launch      one work-item per run of the arcs first .. last - 1

#include "files/write_edges.h"
#include "files/spelt.h"

__kernel void spell_weights(const int n, const long first, const long last, const int directed,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const ulong *restrict weight, __global const ulong *restrict powers,
                            const int room, __global ulong *restrict cells, __global uchar *restrict sizes)
{
    FOR_ROWS(v, p)
        if (directed || v <= col_idx[p]) {
            spelt out = {{0}, 0};
            add_double(&out, weight[p], powers);
            add(&out, '\n');
            const int k = (int)(p - first);
            for (int i = 0; i < WEIGHT_WORDS; i++)
                cells[(long)i * room + k] = out.word[i];
            sizes[k] = (uchar)out.size;
        }
}
