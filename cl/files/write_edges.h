// files/write_edges.h: what the kernels of files/write_edges.cl and files/write_weights.cl have in common.

#include "csr/arcs.h"

#define WEIGHT_WORDS 4   // "-2.2250738585072014e-308" and a line feed

// for (each row v of which this work-item has arcs) for (each such arc p)
#define FOR_ROWS(v, p)                                                                                          \
    long p = min(first + (long)get_global_id(0) * RUN, last);                                                   \
    const long p##_end = min(p + RUN, last);                                                                    \
    for (int v = p < p##_end ? row_of(p, 0, n, row_ptr) : n; p < p##_end; v++)                                  \
        for (const long row_end = min((long)row_ptr[v + 1], p##_end); p < row_end; p++)
