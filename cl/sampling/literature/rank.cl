// sampling/literature/rank.cl: PageRank in integers, the weights of rpn: floating-point ranks differ between devices,
// weights must not.
//
// x, next  ulong[n]: ranks in units of 2^-62, of an undirected graph without loops
// share    ulong[n]: floor(x / degree), what each neighbour gets
// launch   padded range, ITEMS consecutive vertices per work-item

__kernel void rank_shares(const int n, __global const OFFSET *restrict row_ptr, __global const ulong *restrict x,
                          __global ulong *restrict share)
{
    FOR_ITEMS(v, n) {
        const ulong d = (ulong)(row_ptr[v + 1] - row_ptr[v]);
        share[v] = d ? x[v] / d : 0;
    }
}

// base: what every vertex gets, from teleports and from vertices without edges.
__kernel void rank_step(const int n, const ulong damping, const ulong base, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global const ulong *restrict share,
                        __global ulong *restrict x)
{
    FOR_ITEMS(v, n) {
        ulong sum = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            sum += share[col_idx[p]];
        x[v] = base + mul_hi(sum, damping);
    }
}
