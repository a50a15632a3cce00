// sampling/marks.cl (pipelines): which vertices and arcs are in a sample (layout: cl/sampling/marks.cl).
//
// vertices    UNROLL vertices per cycle
// induced     one arc per cycle
//
// bound by    vertices: the streams, 5 bytes per vertex; induced: a random read per arc

#include "fpga/pipeline.h"
#include "sampling/copra.h"
#include "fpga/rows.h"

PIPELINE void exact_live_vertices(const int n, __global const int *restrict label, const int root,
                                  __global uchar *restrict live)
{
    FOR_STREAM(v, n)
        live[v] = label[v] == root;
}

PIPELINE void exact_induced_arcs(const int n, __global const OFFSET *restrict row_ptr,
                                 __global const int *restrict col_idx, __global const uchar *restrict live_vertices,
                                 __global uchar *restrict live)
{
    Bounds bounds;
    uchar there[ROW_BLOCK];
    FOR_BLOCKS(base, n, many) {
        FOR_EACH(i, many) {
            there[i] = live_vertices[base + i];
            SET_BOUNDS(bounds, i, row_ptr[base + i], row_ptr[base + i + 1]);
        }
        FOR_ARCS(w, bounds, many)
            if (w.count)
                live[w.p] = there[w.row] & live_vertices[col_idx[w.p]];
    }
}
