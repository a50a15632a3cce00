// measures/mixing.cl: the sum over all arcs of the product of the degrees of their ends, for each of several graphs:
// what a correlation of degrees needs besides the histogram of degrees (Newman: Assortative mixing in networks, Physical
// Review Letters 89, 2002).
//
// begin              int[graphs + 1]   where each graph's vertices begin (measures/spread.h)
// row_ptr, col_idx   the graphs' rows, undirected
// sum                ulong[graphs]     zero before
//
// launch     any number of work-groups for each graph; a work-item takes RUN arcs at a time (csr/arcs.h)

#include "csr/arcs.h"
#include "measures/wide.h"

#define DEGREE(v) ((ulong)(row_ptr[(v) + 1] - row_ptr[v]))

__kernel void mixing_sums(__global const int *restrict begin, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict col_idx, volatile __global ulong *sum)
{
    const int end = begin[get_global_id(1) + 1];
    const long last = row_ptr[end];
    ulong mine = 0;
    for (long at = (long)row_ptr[begin[get_global_id(1)]] + (long)get_global_id(0) * RUN; at < last;
         at += (long)get_global_size(0) * RUN) {
        int u = -1;
        for (long p = at; p < min(at + RUN, last); p++) {
            u = row_after(p, u, end, row_ptr);
            mine += DEGREE(u) * DEGREE(col_idx[p]);
        }
    }
    if (mine)
        add_wider(&sum[get_global_id(1)], mine);
}
