// sampling/marks.cl: which vertices and arcs of the input are in a sample, one byte each, for the host.
//
// label   int[n]              component of each vertex, -1 where it was removed
// live_vertices  uchar[n]     1: in the sample
// live    uchar[n or arcs]    the same for vertices or arcs, to be written
// launch  padded range, ITEMS consecutive vertices per work-item

// The vertices labelled `root`.
__kernel void exact_live_vertices(const int n, __global const int *restrict label, const int root,
                                  __global uchar *restrict live)
{
    FOR_ITEMS(v, n)
        live[v] = label[v] == root;
}

// The arcs that join two vertices of the sample.
__kernel void exact_induced_arcs(const int n, __global const OFFSET *restrict row_ptr,
                                 __global const int *restrict col_idx, __global const uchar *restrict live_vertices,
                                 __global uchar *restrict live)
{
    FOR_ITEMS(v, n)
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            live[p] = live_vertices[v] & live_vertices[col_idx[p]];
}
