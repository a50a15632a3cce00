// ranking/fixed.cl: an iteration of PageRank whose sums have one shape, whoever computes them: the same bytes on every
// device, for any cut of the rows, and any number of ranks.
//
//   x(v) = (1-d) p(v) + d (S + D q(v)),  S the sum of x(u) w(u,v) / W(u) over the row of v, D the dangling mass
//
// row      lane j of 32 adds the terms j, j + 32, ... in order; the lanes are added as a tree: j and j + 16, + 8, + 4,
//          + 2, + 1. A row of more than PART entries: its parts of PART entries in order
// block    4096 vertices, zeros behind the last: a halving tree, i and i + 2048, then i and i + 1024, ...
// REAL     type of the stored ranks; everything is computed in double, and rounded once, when it is stored
// launch   LANES 32: a work-group of 32 ROWS work-items takes ROWS rows; LANES 1: a work-item takes ITEMS rows.
//          fixed_blocks: a work-group of WIDTH a block
// tunables LANES, ROWS, ITEMS, WIDTH; HAS_WEIGHTS, HAS_COUNTS, HAS_P, HAS_Q, OFFSET

#pragma OPENCL FP_CONTRACT OFF

#ifndef REAL
#define REAL float
#endif

#ifndef LANES
#define LANES 1
#endif

#ifndef ROWS
#define ROWS 4
#endif

#ifndef WIDTH
#define WIDTH 1
#endif

#ifndef OFFSET
#define OFFSET int
#endif

#ifndef PART
#define PART 1048576
#endif

#define BLOCK 4096

#if HAS_WEIGHTS
#define VALUES __global const double *restrict values
#define TERM(e) ((double)x[col_idx[e]] * (values[e] / out[col_idx[e]]))
#elif HAS_COUNTS
#define VALUES __global const int *restrict values
#define TERM(e) ((double)x[col_idx[e]] * ((double)values[e] / out[col_idx[e]]))
#else
#define VALUES __global const int *restrict values
#define TERM(e) ((double)x[col_idx[e]] * inverse[col_idx[e]])
#endif

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

// `mass` is D, or 0 where it is dropped; `inverse` is 1 / W, `out` is W (for HAS_WEIGHTS and HAS_COUNTS).
__kernel void fixed_rows(const int rows, const int first_row, const double d, const double mass, const double uniform,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx, VALUES,
                         __global const double *restrict inverse, __global const double *restrict out,
                         __global const REAL *restrict x, __global const double *restrict p,
                         __global const double *restrict q, __global REAL *restrict y)
{
#if LANES == 1
    FOR_ITEMS(r, rows) {
        double sum = 0;
        for (OFFSET begin = row_ptr[r]; begin < row_ptr[r + 1]; begin += PART) {
            const OFFSET end = row_ptr[r + 1] - begin > PART ? begin + PART : row_ptr[r + 1];
            double lane[32];
            for (int j = 0; j < 32; j++)
                lane[j] = 0;
            OFFSET e = begin;
            for (; e + 32 <= end; e += 32)
                for (int j = 0; j < 32; j++)
                    lane[j] += TERM(e + j);
            for (int j = 0; e + j < end; j++)
                lane[j] += TERM(e + j);
            for (int half_ = 16; half_ > 0; half_ /= 2)
                for (int j = 0; j < half_; j++)
                    lane[j] += lane[j + half_];
            sum += lane[0];
        }
        y[first_row + r] = (REAL)next_rank(sum, d, mass, uniform, p, q, first_row + r);
    }
#else
    __local double lanes[32 * ROWS];
    __local int parts;
    const int lid = get_local_id(0), j = lid & 31, mine = lid >> 5;
    const long r = (long)get_group_id(0) * ROWS + mine;
    const OFFSET start = r < rows ? row_ptr[r] : 0, stop = r < rows ? row_ptr[r + 1] : 0;
    if (lid == 0)
        parts = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (stop - start > PART)
        atomic_max(&parts, (int)((stop - start + PART - 1) / PART));
    barrier(CLK_LOCAL_MEM_FENCE);
    const int count = parts;
    double sum = 0;
    for (int part = 0; part < count; part++) {
        const OFFSET begin = min(stop, start + (OFFSET)part * PART), left = stop - begin;
        const OFFSET end = left > PART ? begin + PART : stop;
        double own = 0;
        for (OFFSET e = begin + j; e < end; e += 32)
            own += TERM(e);
        lanes[lid] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int width = 16; width > 0; width /= 2) {
            if (j < width)
                lanes[lid] += lanes[lid + width];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (begin < end)
            sum += lanes[32 * mine];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (j == 0 && r < rows)
        y[first_row + r] = (REAL)next_rank(sum, d, mass, uniform, p, q, first_row + (int)r);
#endif
}

static inline double block_value(int what, int n, long v, __global const REAL *x, __global const REAL *y,
                                 __global const double *inverse)
{
    if (v >= n)
        return 0;
    if (what == 0)
        return inverse[v] == 0 ? (double)y[v] : 0.0;   // dangling
    return fabs((double)y[v] - (double)x[v]);
}

// Sums over blocks first .. first + blocks - 1: of the ranks of dangling vertices (sums[2 b]), of the differences
// (sums[2 b + 1]).
__kernel void fixed_blocks(const int n, const int first, const int blocks, __global const REAL *restrict x,
                           __global const REAL *restrict y, __global const double *restrict inverse,
                           __global double *restrict sums)
{
    const int b = get_group_id(0), lid = get_local_id(0);
    const long base = (long)(first + b) * BLOCK;
#if WIDTH == 1
    for (int what = 0; what < 2; what++) {
        double held[BLOCK / 16];
        for (int i = 0; i < BLOCK / 16; i++) {
            double v[16];
            for (int k = 0; k < 16; k++)
                v[k] = block_value(what, n, base + i + k * (BLOCK / 16), x, y, inverse);
            for (int width = 8; width > 0; width /= 2)
                for (int k = 0; k < width; k++)
                    v[k] += v[k + width];
            held[i] = v[0];
        }
        for (int width = BLOCK / 32; width > 0; width /= 2)
            for (int i = 0; i < width; i++)
                held[i] += held[i + width];
        sums[2 * (long)b + what] = held[0];
    }
#else
    __local double held[BLOCK / 16];
    for (int what = 0; what < 2; what++) {
        for (int i = lid; i < BLOCK / 16; i += WIDTH) {
            double v[16];
            for (int k = 0; k < 16; k++)
                v[k] = block_value(what, n, base + i + k * (BLOCK / 16), x, y, inverse);
            for (int width = 8; width > 0; width /= 2)
                for (int k = 0; k < width; k++)
                    v[k] += v[k + width];
            held[i] = v[0];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int width = BLOCK / 32; width > 0; width /= 2) {
            for (int i = lid; i < width; i += WIDTH)
                held[i] += held[i + width];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lid == 0)
            sums[2 * (long)b + what] = held[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}
