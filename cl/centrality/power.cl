// centrality/power.cl: the steps of iterations with a graph's matrix in double precision: powers for eigenvector and Katz
// centrality, Lanczos's method for hubs and authorities. The host puts them together.
//
// row_ptr, col_idx   the rows that are summed; weight double[arcs], or NULL: all 1
// x, y               double[n]
// part               double[3][groups]   sums of the groups' chunks, added up in order: the same bits at each run
//
// launch     a work-group of LOCAL for each CHUNK vertices; power_sums: LOCAL x values
// tunables   LOCAL, CHUNK (a multiple of LOCAL), LONG (arcs from which on a whole group sums a row up)

#include "measures/spectrum.h"

#define MY_VERTICES \
    const long first = (long)get_group_id(0) * CHUNK, end = min(first + CHUNK, (long)n)

// y = A x
__kernel void power_product(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const double *restrict weight, __global const double *restrict x,
                            __global double *restrict y)
{
    MY_VERTICES;
#if LOCAL > 1
    BOX(1);
    volatile __local int many;
    __local int list[CHUNK];
    if (get_local_id(0) == 0)
        many = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    FOR_CHUNK(q, v) {
        const OFFSET from = row_ptr[v], to = row_ptr[v + 1];
#if LOCAL > 1
        if (to - from > LONG) {
            list[atomic_inc(&many)] = (int)v;
            continue;
        }
#endif
        double sum = 0;
        if (weight)
            for (OFFSET e = from; e < to; e++)
                sum += weight[e] * x[col_idx[e]];
        else
            for (OFFSET e = from; e < to; e++)
                sum += x[col_idx[e]];
        y[v] = sum;
    }
#if LOCAL > 1
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < many; i++) {   // in any order: each row is summed by itself
        const int v = list[i];
        double some[1] = {0};
        for (OFFSET e = row_ptr[v] + get_local_id(0); e < row_ptr[v + 1]; e += LOCAL)
            some[0] += weight ? weight[e] * x[col_idx[e]] : x[col_idx[e]];
        GROUP_SUMS(1, some);
        if (get_local_id(0) == 0)
            y[v] = SUM_OF(0, some);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}

// y = a y + b x + c (c: of each vertex, or one for all); parts of the sums of y^2, |y - x| and x y.
__kernel void power_combine(const int n, const double a, const double b, const double one,
                            __global const double *restrict each, __global const double *restrict x,
                            __global double *restrict y, __global double *restrict part)
{
    MY_VERTICES;
    BOX(3);
    double mine[3] = {0, 0, 0};
    FOR_CHUNK(q, v) {
        const double before = x[v], now = a * y[v] + b * before + (each ? each[v] : one);
        y[v] = now;
        mine[0] += now * now;
        mine[1] += fabs(now - before);
        mine[2] += now * before;
    }
    GROUP_SUMS(3, mine);
    if (get_local_id(0) == 0)
        for (int r = 0; r < 3; r++)
            part[r * get_num_groups(0) + get_group_id(0)] = SUM_OF(r, mine);
}

__kernel void power_sums(const int groups, __global const double *restrict part, __global double *restrict sum)
{
    BOX(1);
    const int r = get_group_id(0);
    double mine[1] = {0};
    for (int c = get_local_id(0); c < groups; c += LOCAL)
        mine[0] += part[r * groups + c];
    GROUP_SUMS(1, mine);
    if (get_local_id(0) == 0)
        sum[r] = SUM_OF(0, mine);
}
