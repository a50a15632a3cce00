// scale/pagerank_exchange.cl: the ranks (of vertices) that other ranks (of a job) need: of vertices with out-arcs.
//
// inverse  double[n]   0 without out-arcs        before   int[n + 1]  such vertices before each one
// needed   int[]       those vertices            packed   REAL[]      values of some that follow each other in it
// launch   padded ranges, ITEMS each             tunables REAL, ITEMS

#ifndef REAL
#define REAL float
#endif

__kernel void exchange_present(const int n, __global const double *restrict inverse, __global uchar *restrict present)
{
    FOR_ITEMS(v, n)
        present[v] = inverse[v] != 0;
}

__kernel void exchange_list(const int n, __global const int *restrict before, __global int *restrict needed)
{
    FOR_ITEMS(v, n)
        if (before[v + 1] > before[v])
            needed[before[v]] = v;
}

__kernel void exchange_pack(const int count, const int first, __global const int *restrict needed,
                            __global const REAL *restrict values, __global REAL *restrict packed)
{
    FOR_ITEMS(i, count)
        packed[i] = values[needed[first + i]];
}

__kernel void exchange_unpack(const int count, const int first, __global const int *restrict needed,
                              __global const REAL *restrict packed, __global REAL *restrict values)
{
    FOR_ITEMS(i, count)
        values[needed[first + i]] = packed[i];
}
