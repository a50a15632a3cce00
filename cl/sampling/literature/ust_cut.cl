// sampling/literature/ust_cut.cl: a part of a spanning tree: the branches to the root from the vertices in order of
// priority, until there are enough vertices.
//
// A vertex comes with the first vertex of its subtree, and those that come with one another in order of depth. Both are
// made by pointer doubling: after k rounds first[v] is that of the descendants nearer than 2^k.
//
// first   int[runs * n]: rank by priority, then of the first vertex of the subtree; depth int[runs * n]
// launch  padded range over vertices, by runs, ITEMS consecutive ones per work-item

__kernel void cut_begin(const int n, __global const int *restrict next, __global int *restrict jump,
                        __global int *restrict depth)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        jump[base + v] = next[base + v];
        depth[base + v] = next[base + v] != v;
    }
}

__kernel void cut_climb(const int n, __global const int *restrict jump, __global const int *restrict depth,
                        __global int *restrict further, __global int *restrict deeper,
                        volatile __global int *restrict first, volatile __global int *restrict going)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        const int up = jump[base + v];
        further[base + v] = jump[base + up];
        deeper[base + v] = depth[base + v] + depth[base + up];
        // what a neighbour's value in this round adds would come in a later one
        if (up != v) atomic_min(&first[base + up], SHARED_LOAD(first + base + v));
        if (depth[base + up]) atomic_inc(going);
    }
}

__kernel void cut_keys(const int n, __global const int *restrict first, __global const int *restrict depth,
                       __global ulong *restrict key)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) key[base + v] = (ulong)first[base + v] << 32 | (ulong)depth[base + v];
}
