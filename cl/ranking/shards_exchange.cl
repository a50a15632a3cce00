// ranking/shards_exchange.cl: the ranks (of vertices) that other ranks (of a job) need: of vertices with out-arcs.
//
// inverse  double[n]   0 without out-arcs        before   int[n + 1]  such vertices before each one
// needed   int[]       those vertices            message  REAL[]      among other things values of some that follow each
//                                                                     other in `needed`, from place `at` on
// launch   padded ranges, ITEMS each             tunables REAL, ITEMS

#ifndef REAL
#define REAL float
#endif

__kernel void exchange_present(const int n, __global const double *restrict inverse, __global uchar *restrict present)
{
    FOR_ITEMS(v, n)
        present[v] = inverse[v] != 0;
}

// Those of some rows, from place `at` on.
__kernel void exchange_list(const int rows, const int first_row, const int at, __global const int *restrict before,
                            __global int *restrict needed)
{
    FOR_ITEMS(r, rows) {
        const int v = first_row + r;
        if (before[v + 1] > before[v])
            needed[at + before[v] - before[first_row]] = v;
    }
}

__kernel void exchange_pack(const int count, const int first, const long at, __global const int *restrict needed,
                            __global const REAL *restrict values, __global REAL *restrict message)
{
    FOR_ITEMS(i, count)
        message[at + i] = values[needed[first + i]];
}

__kernel void exchange_unpack(const int count, const int first, const long at, __global const int *restrict needed,
                              __global const REAL *restrict message, __global REAL *restrict values)
{
    FOR_ITEMS(i, count)
        values[needed[first + i]] = message[at + i];
}
