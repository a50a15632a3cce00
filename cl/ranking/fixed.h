// ranking/fixed.h: what the kernels that add up rows in one shape share (see ranking/fixed.cl).
//
// x       VALUE[n]     x(u) / W(u) (see fixed_terms), or with HAS_SHARES x(u) alone
// shares  double[]     with HAS_SHARES w(u,v) / W(u) of each arc

#pragma OPENCL FP_CONTRACT OFF

#ifndef REAL
#define REAL float
#endif

#ifndef PART
#define PART 1048576
#endif

#if HAS_SHARES
#define VALUE REAL
#define TERM(e) ((double)x[col_idx[e]] * shares[e])
#else
#if READY
#define VALUE long
#elif INTEGERS
#define VALUE float
#else
#define VALUE double
#endif
#define TERM(e) (x[col_idx[e]])
#endif

// What rows gather, and what their next ranks are made of (`mass` is D, or 0 where it is dropped).
#define TERM_ARGS                                                                                       \
    __global const int *restrict col_idx, __global const double *restrict shares, __global const VALUE *restrict x
#define NEXT_ARGS                                                                                       \
    const int first_row, const double d, const double mass, const double uniform,             \
        __global const double *restrict p, __global const double *restrict q, __global REAL *restrict y
#define NEXT(row, sum) y[first_row + (row)] = (REAL)next_rank(sum, d, mass, uniform, p, q, first_row + (row))

static inline double next_rank(double sum, double d, double mass, double uniform, __global const double *p,
                               __global const double *q, int v)
{
#if HAS_P
    const double pv = p[v];
#else
    const double pv = uniform;
#endif
#if HAS_Q
    const double qv = q[v];
#else
    const double qv = uniform;
#endif
    const double rest = (1.0 - d) * pv, spread = mass * qv;
    const double inner = sum + spread;
    return rest + d * inner;
}
