// csr/facts.cl: what is asked of rows before anybody works on them: self-loops and parallel arcs.
//
// row_ptr  OFFSET[n + 1], col_idx  int[arcs]   rows ascend, so equal heads are neighbours
// found    uint[2]     self-loops; arcs that repeat the one before
// launch   padded range, ITEMS consecutive vertices per work-item

#ifndef OFFSET
#define OFFSET int
#endif

__kernel void facts_count(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          volatile __global uint *found)
{
    uint loops = 0, copies = 0;
    FOR_ITEMS(v, n) {
        int last = -1;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
            loops += u == v;
            copies += u == last;
            last = u;
        }
    }
    if (loops)
        atomic_add(&found[0], loops);
    if (copies)
        atomic_add(&found[1], copies);
}
