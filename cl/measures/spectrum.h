// measures/spectrum.h: what the kernels of Lanczos's method share: a work-group's chunk of vertices, and its sums.

#ifndef LOCAL
#define LOCAL 1
#endif
#ifndef CHUNK
#define CHUNK 1024
#endif
#ifndef LONG
#define LONG 256
#endif
#ifndef ROWS
#define ROWS 4
#endif
#ifndef LANES
#define LANES 8
#endif
#define PER (CHUNK / LOCAL)

#define CHUNKS                                                                                              \
    const int base, const long stride, const int graphs, __global const int *restrict active,               \
        __global const int *restrict chunk, __global const double *restrict u, __global double *restrict w, \
        __global const double *restrict scale
// of inlined functions: without `restrict`, which Oclgrind mishandles after inlining
#define CHUNKS_WITHIN                                                                                      \
    const int base, const long stride, const int graphs, __global const int *active,                       \
        __global const int *chunk, __global const double *u, __global double *w, __global const double *scale
#define CHUNKS_AS base, stride, graphs, active, chunk, u, w, scale

#define CHUNK_OF(c) const int first = chunk[4 * (c)], end = chunk[4 * (c) + 1], g = chunk[4 * (c) + 2]

// for (each vertex v of the chunk that is this work-item's, its q-th)
#define FOR_CHUNK(q, v)                                                                        \
    for (long q = 0, v = (long)first + (long)get_local_id(0); q < PER && v < end; q++, v += LOCAL)

// t = y - alpha[j] v[j], and 0 beyond the chunk's end
#define TAKE(t, y, j)                                                                              \
    do {                                                                                           \
        const double by_ = (j) < 0 ? 0 : alpha[max(j, 0) * graphs + g] * scale[max(j, 0) * graphs + g]; \
        __global const double *x_ = u + max(j, 0) * stride - base;                                 \
        for (int q = 0; q < PER; q++)                                                              \
            t[q] = 0;                                                                              \
        FOR_CHUNK(q, v) t[q] = (j) < 0 ? y[v] : y[v] - by_ * x_[v];                                \
    } while (0)

// The sums over a work-group of `rows` values each; all its work-items are here. SUM_OF(r, mine): the sum of the r-th.
#if LOCAL > 1
#define BOX(rows) __local double box[(rows) * LOCAL]
#define GROUP_SUMS(rows, mine)                                                    \
    do {                                                                          \
        for (int r_ = 0; r_ < (rows); r_++)                                       \
            box[r_ * LOCAL + get_local_id(0)] = mine[r_];                         \
        for (int half_ = LOCAL / 2; half_ > 0; half_ /= 2) {                      \
            barrier(CLK_LOCAL_MEM_FENCE);                                         \
            if ((int)get_local_id(0) < half_)                                     \
                for (int r_ = 0; r_ < (rows); r_++)                               \
                    box[r_ * LOCAL + get_local_id(0)] +=                          \
                        box[r_ * LOCAL + get_local_id(0) + half_];                \
        }                                                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                             \
    } while (0)
#define SUM_OF(r, mine) box[(r) * LOCAL]
#else
#define BOX(rows)
#define GROUP_SUMS(rows, mine)
#define SUM_OF(r, mine) mine[r]
#endif
