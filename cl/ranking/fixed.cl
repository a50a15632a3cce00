// ranking/fixed.cl: an iteration of PageRank whose sums have one shape, whoever computes them: the same bytes on every
// device, for any cut of the rows, and any number of ranks. float32 ranks: the rows of ranking/fixed_integers.cl.
//
//   x(v) = (1-d) p(v) + d (S + D q(v)),  S the sum of x(u) w(u,v) / W(u) over the row of v, D the dangling mass
//
// row      lane j of 32 adds the terms j, j + 32, ... in order; the lanes are added as a tree: j and j + 16, + 8, + 4,
//          + 2, + 1. A row of more than PART entries: its parts of PART entries in order
// block    4096 vertices, zeros behind the last: a halving tree, i and i + 2048, then i and i + 1024, ...
// REAL     type of the stored ranks; everything is computed in double, and rounded once, when it is stored
// launch   fixed_blocks: a work-group of WIDTH a block; the others: padded ranges, ITEMS each. On GPUs
//          ranking/fixed_windows.cl takes the place of fixed_rows
// tunables ITEMS, WIDTH, READY; what changes the sums: INTEGERS, HAS_SHARES, HAS_P, HAS_Q, PART; OFFSET

#include "ranking/fixed.h"

#ifndef WIDTH
#define WIDTH 1
#endif

#define BLOCK 4096

// What rows gather, once a vertex: x(u) / W(u), or with HAS_SHARES x(u); at the vertex's place, if there are places.
// INTEGERS: x(u) / W(u) is rounded to a float, and with READY cut to a multiple of 2^-62.
__kernel void fixed_terms(const int n, __global const int *restrict place, __global const REAL *restrict x,
                          __global const double *restrict inverse, __global VALUE *restrict terms)
{
    FOR_ITEMS(v, n) {
        const int at = place ? place[v] : v;
#if HAS_SHARES
        terms[at] = x[v];
#else
        if (inverse[v] == 0)   // in no row
            continue;
        const double term = (double)x[v] * inverse[v];
#if READY
        terms[at] = (long)((float)term * 0x1p62f);
#else
        terms[at] = (VALUE)term;
#endif
#endif
    }
}

__kernel void fixed_rows(const int rows, __global const OFFSET *restrict row_ptr, TERM_ARGS, NEXT_ARGS)
{
    FOR_ITEMS(r, rows) {
        double sum = 0;
        for (OFFSET begin = row_ptr[r]; begin < row_ptr[r + 1];) {
            const OFFSET end = row_ptr[r + 1] - begin > PART ? begin + PART : row_ptr[r + 1];
            double lane[32];
            for (int j = 0; j < 32; j++)
                lane[j] = 0;
            OFFSET e = begin;
            for (; end - e >= 32; e += 32)
                for (int j = 0; j < 32; j++)
                    lane[j] += TERM(e + j);
            for (int j = 0; j < end - e; j++)
                lane[j] += TERM(e + j);
            for (int half_ = 16; half_ > 0; half_ /= 2)
                for (int j = 0; j < half_; j++)
                    lane[j] += lane[j + half_];
            sum += lane[0];
            begin = end;
        }
        NEXT(r, sum);
    }
}

#define DANGLING(i) (dangling[i] ? (double)y[i] : 0.0)
#define CHANGE(i) fabs((double)y[i] - (double)x[i])

// Sums over blocks first .. first + blocks - 1, from the at-th place on: of the ranks of dangling vertices (sums[2 b]),
// of the differences (sums[2 b + 1]).
__kernel void fixed_blocks(const int n, const int first, const int at, __global const REAL *restrict x,
                           __global const REAL *restrict y, __global const uchar *restrict dangling,
                           __global double *restrict sums)
{
    const int b = get_group_id(0), lid = get_local_id(0);
    const long base = (long)(first + b) * BLOCK;
    // what follows is of the block alone
    const int count = (int)min((long)BLOCK, n - base);
    x += base;
    y += base;
    dangling += base;
#if WIDTH == 1
    double held[2][BLOCK / 16];
#else
    __local double held[2][BLOCK / 16];
#endif
    for (int i = lid; i < BLOCK / 16; i += WIDTH) {
        double rank[16], change[16];
        if (count == BLOCK)   // all loads are on their way before the first is used
            for (int k = 0; k < 16; k++) {
                rank[k] = DANGLING(i + k * (BLOCK / 16));
                change[k] = CHANGE(i + k * (BLOCK / 16));
            }
        else
            for (int k = 0; k < 16; k++) {
                const int at = i + k * (BLOCK / 16);
                rank[k] = at < count ? DANGLING(at) : 0.0;
                change[k] = at < count ? CHANGE(at) : 0.0;
            }
        for (int width = 8; width > 0; width /= 2)
            for (int k = 0; k < width; k++) {
                rank[k] += rank[k + width];
                change[k] += change[k + width];
            }
        held[0][i] = rank[0];
        held[1][i] = change[0];
    }
    for (int width = BLOCK / 32; width > 0; width /= 2) {
#if WIDTH > 1
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        for (int i = lid; i < 2 * width; i += WIDTH)
            held[i >= width][i & (width - 1)] += held[i >= width][(i & (width - 1)) + width];
    }
#if WIDTH > 1
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int what = lid; what < 2; what += WIDTH)
        sums[2 * (long)(at + b) + what] = held[what][0];
}
