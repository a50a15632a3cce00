// measures/pack.cl: graphs copied one behind the other into the rows of one.
//
// row_ptr, col_idx   a graph's rows, of n vertices
// into_ptr, into_idx the rows of all; this graph's vertices begin at `base`, its arcs at `before`
//
// launch   padded range over vertices and arcs, whichever are more, ITEMS per work-item

__kernel void pack_append(const int n, const int arcs, const int base, const int before,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global int *restrict into_ptr, __global int *restrict into_idx)
{
    FOR_ITEMS(i, max(n, arcs)) {
        if (i < n)
            into_ptr[base + i + 1] = before + (int)row_ptr[i + 1];
        if (i < arcs)
            into_idx[before + i] = base + col_idx[i];
    }
}
