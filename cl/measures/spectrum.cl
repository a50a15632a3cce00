// measures/spectrum.cl: the steps of Lanczos's method with thick restarts (Wu, Simon: Thick-restart Lanczos method for
// large symmetric eigenvalue problems, SIAM J. Matrix Analysis and Applications 22(2), 2000), for the adjacency
// matrices or Laplacians of several graphs side by side.
//
// u            double[VECTORS][stride]   the basis: vector i of vertex v at u[i * stride + v - base]; a graph's part of
//                                        it times scale[i] has length 1
// w            the same buffer, through which the vector in work is written
// chunk        int[4][]     first vertex, end, graph, the graph's first vertex: a work-group's share; active: those of
//                           graphs that are not done
// scale, norm  double[][graphs]   of each vector: 1 / length and length (0 and 0 where there is none)
// alpha        double[][graphs]   the diagonal
// part         double[][chunks]   sums of chunks, which are added up in order: the same bits at each run
// flag         int[][graphs]      whether a graph takes part in a pass over the whole basis: `row` is that of the pass
// begin        int[graphs + 1]    where each graph's chunks begin; alive: the graphs that are not done
// turn         double[graphs][VECTORS - 1][kept]   what each vector has in each of the first `kept` of the new basis; kept
//                                 is a multiple of AT_ONCE
// size         double[graphs]     the longest product A v so far
// order        ushort[]           the vertices of each chunk in the order in which products are made; LOCAL 1 only
//
// launch     one work-group of LOCAL for each active chunk; for sums: LOCAL x graphs x values; spectrum_cycle: one
//            work-item for each graph that is not done
// tunables   LOCAL, CHUNK (a multiple of LOCAL * LANES), LONG (arcs from which on a whole group sums a row up),
//            ROWS (vectors whose products are summed together), LANES (vertices of a work-item that are), VECTORS (one
//            more than a cycle has steps)
// MATRIX     0: the adjacency matrix A; 1: the Laplacian D - A; 2: the normalized one, 1 - D^(-1/2) A D^(-1/2)

#include "keyed.h"
#include "measures/spectrum.h"

#ifndef VECTORS
#define VECTORS 49
#endif
#define AT_ONCE 4
#define TAG_VECTOR 16u
#define BLOCK (LOCAL == 1 ? 4 * LANES : LANES)   // vertices whose rows of the basis are read at once
#define UNROLLED __attribute__((opencl_unroll_hint))   // sums are then in registers: half the time on CPUs
// Where clang would make vectors of these loops by itself, their sums go through memory: twice the time. Without what
// Oclgrind and old PoCLs mishandle (ranking/personalized/power.cl).
#if LOCAL == 1 && LANES > 1 && !defined(CHECK_RACES) && !defined(WITHOUT_WIDE_VECTORS)
#define IN_VECTORS
#define VECTOR PASTE(double, LANES)
#define LOADED(x) PASTE(vload, LANES)(0, x)
#define STORE(y, x) PASTE(vstore, LANES)(y, 0, x)
#endif
#define LEAST 1e-12   // a vector that is so much shorter than the longest product is none: the others' space is closed

#define BACK(j, begin) ((j) > (begin) ? norm[(j) * graphs + g] * scale[((j) - 1) * graphs + g] : 0)
#define DEGREE(v) ((double)(row_ptr[(v) + 1] - row_ptr[v]))
#if MATRIX == 2
#define TERM(c) (x[c] / sqrt(DEGREE(c)))
#define ROW(v, sum) (DEGREE(v) > 0 ? x[v] - (sum) / sqrt(DEGREE(v)) : 0)
#elif MATRIX == 1
#define TERM(c) x[c]
#define ROW(v, sum) (DEGREE(v) * x[v] - (sum))
#else
#define TERM(c) x[c]
#define ROW(v, sum) (sum)
#endif

#if LOCAL == 1
#define BINS 168
// A row's bin: lengths below 64 have their own, longer ones share it with those of the same three leading bits.
static inline uint bin_of(const long v, __global const OFFSET *row_ptr)
{
    const uint length = (uint)(row_ptr[v + 1] - row_ptr[v]), top = 31 - clz(length | 4);
    return length < 64 ? length : 40 + 4 * top + ((length >> (top - 2)) & 3);
}

// The vertices of each chunk by the lengths of their rows, roughly: a core then guesses when rows end.
__kernel void spectrum_order(const int base, __global const int *restrict chunk, __global const OFFSET *restrict row_ptr,
                             __global ushort *restrict order)
{
    const int first = chunk[4 * get_global_id(0)], end = chunk[4 * get_global_id(0) + 1];
    ushort at[BINS + 1] = {0};
    for (int v = first; v < end; v++)
        at[bin_of(v, row_ptr) + 1]++;
    for (int bin = 0; bin < BINS; bin++)
        at[bin + 1] += at[bin];
    for (int v = first; v < end; v++)
        order[first - base + at[bin_of(v, row_ptr)]++] = (ushort)(v - first);
}
#endif

// A work-item's share of a chunk of w[j + 1] = M v[j] - norm[j] v[j - 1] (the latter not for the first vector of a cycle);
// returns its product with v[j]. Long rows are left to the work-group, in a list.
static inline double product_of(const int c, const int j, const int begin, CHUNKS_WITHIN,
                                __global const OFFSET *row_ptr, __global const int *col_idx,
                                __global const double *norm, __global const ushort *order, volatile __local int *many,
                                __local int *list)
{
    CHUNK_OF(c);
    __global const double *x = u + j * stride - base, *last = u + max(j - 1, 0) * stride - base;
    __global double *y = w + (j + 1) * stride - base;
    const double by = scale[j * graphs + g], back = BACK(j, begin);
    double mine = 0;
#if LOCAL == 1
    for (int q = first - base; q < end - base; q++) {
        const long v = first + order[q];
        double sum = 0;
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++)
            sum += TERM(col_idx[e]);
        y[v] = by * ROW(v, sum) - (j > begin ? back * last[v] : 0);
    }
    FOR_CHUNK(q, v) mine += by * x[v] * y[v];
#else
    FOR_CHUNK(q, v) {
        const OFFSET from = row_ptr[v], to = row_ptr[v + 1];
        if (to - from > LONG) {
            list[atomic_inc(many)] = (int)v;
            continue;
        }
        double sum = 0;
        for (OFFSET e = from; e < to; e++)
            sum += TERM(col_idx[e]);
        y[v] = by * ROW(v, sum) - (j > begin ? back * last[v] : 0);
        mine += by * x[v] * y[v];
    }
#endif
    return mine;
}

__kernel void spectrum_product(const int j, const int begin, CHUNKS, __global const OFFSET *restrict row_ptr,
                               __global const int *restrict col_idx, __global const double *restrict norm,
                               __global const ushort *restrict order, __global double *restrict part)
{
    BOX(1);
    const int c = active[get_group_id(0)];
#if LOCAL > 1
    volatile __local int many;
    __local int list[CHUNK];
    if (get_local_id(0) == 0)
        many = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    double mine[1] = {product_of(c, j, begin, CHUNKS_AS, row_ptr, col_idx, norm, 0, &many, list)};
    CHUNK_OF(c);
    __global const double *x = u + j * stride - base, *last = u + max(j - 1, 0) * stride - base;
    __global double *y = w + (j + 1) * stride - base;
    const double by = scale[j * graphs + g], back = BACK(j, begin);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < many; i++) {
        const int v = list[i];
        double some[1] = {0};
        for (OFFSET e = row_ptr[v] + get_local_id(0); e < row_ptr[v + 1]; e += LOCAL)
            some[0] += TERM(col_idx[e]);
        GROUP_SUMS(1, some);
        if (get_local_id(0) == 0)
            y[v] = by * ROW(v, SUM_OF(0, some)) - (j > begin ? back * last[v] : 0);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if (many) {   // added up again: the list's order is no one's, and no sum may depend on it
        mine[0] = 0;
        FOR_CHUNK(q, v) mine[0] += by * x[v] * y[v];
    }
#else
    double mine[1] = {product_of(c, j, begin, CHUNKS_AS, row_ptr, col_idx, norm, order, 0, 0)};
#endif
    GROUP_SUMS(1, mine);
    if (get_local_id(0) == 0)
        part[c] = SUM_OF(0, mine);
}

// A work-item's share of the products of t with ROWS vectors, of which those up to the last are wanted; in a chunk of `left`
// vertices, after which others may be writing another graph's.
static inline void dots_of(const int first_row, const int last_row, const long stride, const size_t from, const int left,
                           __global const double *u, const double *t, double *mine)
{
    __global const double *x[ROWS];
    for (int r = 0; r < ROWS; r++)
        x[r] = u + min(first_row + r, last_row) * stride + from + get_local_id(0);
    double sum[ROWS][LANES];
    for (int r = 0; r < ROWS; r++)
        for (int l = 0; l < LANES; l++)
            sum[r][l] = 0;
    int q = 0;
#ifdef IN_VECTORS
    VECTOR many[ROWS];
    for (int r = 0; r < ROWS; r++)
        many[r] = 0;
    for (; q + LANES <= left; q += LANES) {
        const VECTOR y = LOADED(t + q);
        UNROLLED for (int r = 0; r < ROWS; r++)
            many[r] += LOADED(x[r] + q) * y;
    }
    for (int r = 0; r < ROWS; r++)
        STORE(many[r], sum[r]);
#endif
    for (; q < PER && q * LOCAL < left; q += LANES)
        for (int r = 0; r < ROWS; r++) {
            if ((q + LANES) * LOCAL <= left)
                for (int l = 0; l < LANES; l++)
                    sum[r][l] += x[r][(q + l) * LOCAL] * t[q + l];
            else
                for (int l = 0; l < LANES && (q + l) * LOCAL + (int)get_local_id(0) < left; l++)
                    sum[r][l] += x[r][(q + l) * LOCAL] * t[q + l];
        }
    for (int r = 0; r < ROWS; r++) {
        mine[r] = 0;
        for (int l = 0; l < LANES; l++)
            mine[r] += sum[r][l];
    }
}

// The products of w[target], less alpha[j] v[j] if j is not negative, with the first `count` vectors.
__kernel void spectrum_dots(const int j, const int count, const int target, const int row, const int chunks, CHUNKS,
                            __global const int *restrict flag, __global const double *restrict alpha,
                            __global double *restrict part)
{
    BOX(ROWS);
    const int c = active[get_group_id(0)];
    CHUNK_OF(c);
    __global const double *y = w + target * stride - base;
    double t[PER];
    TAKE(t, y, j);
    const int some = flag[row * graphs + g] ? count : 0;   // uniform in a group: all of it has the same chunk
    for (int first_row = 0; first_row < some; first_row += ROWS) {
        double mine[ROWS];
        dots_of(first_row, count - 1, stride, first - base, end - first, u, t, mine);
        GROUP_SUMS(ROWS, mine);
        for (int r = get_local_id(0); r < min(ROWS, count - first_row); r += LOCAL)
            part[(size_t)(first_row + r) * chunks + c] = SUM_OF(r, mine);
#if LOCAL > 1
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}

// A work-item's share of a chunk of w[target] -= alpha[j] v[j] (j not negative), and less the sum of h[i] v[i] of the
// first `some` vectors; returns the square of its length.
static inline double update_of(const int c, const int j, const int some, const int target, CHUNKS_WITHIN,
                               __global const double *alpha, __global const double *h)
{
    CHUNK_OF(c);
    __global double *y = w + target * stride - base;
    const int left = end - first - (int)get_local_id(0);
    double t[PER];
    TAKE(t, y, j);
    int i = 0;
#ifdef IN_VECTORS
    // four vectors at once: a quarter of the loads and stores of t
    for (; i + AT_ONCE <= some && left >= PER; i += AT_ONCE) {
        double by[AT_ONCE];
        __global const double *x[AT_ONCE];
        for (int r = 0; r < AT_ONCE; r++) {
            by[r] = h[(i + r) * graphs + g] * scale[(i + r) * graphs + g];
            x[r] = u + (i + r) * stride + (first - base);
        }
        for (int q = 0; q < PER; q += LANES) {
            VECTOR y = LOADED(t + q);
            UNROLLED for (int r = 0; r < AT_ONCE; r++)
                y -= by[r] * LOADED(x[r] + q);
            STORE(y, t + q);
        }
    }
#endif
    for (; i < some; i++) {
        const double by = h[i * graphs + g] * scale[i * graphs + g];
        __global const double *x = u + i * stride + (first - base) + get_local_id(0);
        if (left > (PER - 1) * LOCAL)
            for (int q = 0; q < PER; q++)
                t[q] -= by * x[q * LOCAL];
        else   // not beyond the chunk, where others may be writing another graph's
            for (int q = 0; q * LOCAL < left; q++)
                t[q] -= by * x[q * LOCAL];
    }
    double mine = 0;
    FOR_CHUNK(q, v) {
        y[v] = t[q];
        mine += t[q] * t[q];
    }
    return mine;
}

// The same for all chunks; the sum of h[i] v[i] where the flag is set.
__kernel void spectrum_update(const int j, const int count, const int target, const int row, CHUNKS,
                              __global const int *restrict flag, __global const double *restrict alpha,
                              __global const double *restrict h, __global double *restrict part)
{
    BOX(1);
    const int c = active[get_group_id(0)];
    const int some = flag[row * graphs + chunk[4 * c + 2]] ? count : 0;
    double mine[1] = {update_of(c, j, some, target, CHUNKS_AS, alpha, h)};
    GROUP_SUMS(1, mine);
    if (get_local_id(0) == 0)
        part[c] = SUM_OF(0, mine);
}

// --- Sums over chunks, and what happens to the basis at a restart

static inline double sum_of_chunks(__global const double *part, const int from, const int to)
{
    double sum = 0;
    for (int c = from + (int)get_local_id(0); c < to; c += LOCAL)
        sum += part[c];
    return sum;
}

// Values that chunks have parts of, times scale if it is given; they become rows of `out`, from `row` on.
__kernel void spectrum_sum(const int graphs, const int chunks, __global const int *restrict begin,
                           __global const int *restrict alive, __global const double *restrict part,
                           __global const double *restrict scale, const int row, __global double *restrict out)
{
    BOX(1);
    const int g = alive[get_global_id(1)], i = (int)get_global_id(2);
    double mine[1] = {sum_of_chunks(part + (size_t)i * chunks, begin[g], begin[g + 1])};
    GROUP_SUMS(1, mine);
    if (get_local_id(0) == 0)
        out[(row + i) * graphs + g] = SUM_OF(0, mine) * (scale ? scale[i * graphs + g] : 1);
}

// Note the length of vector `target`; alpha: of the step that made it, or NULL.
static inline void take_length(const int g, const double square, const int graphs, const int target,
                               __global const double *alpha, __global double *size,
                               __global double *norm, __global double *scale)
{
    const double length = sqrt(square);
    if (alpha)
        size[g] = fmax(size[g], hypot(alpha[(target - 1) * graphs + g], length));
    const int none = length <= LEAST * size[g];
    norm[target * graphs + g] = none ? 0 : length;
    scale[target * graphs + g] = none ? 0 : 1 / length;
}

// The same from the parts of its square.
__kernel void spectrum_norm(const int graphs, const int target, __global const int *restrict begin,
                            __global const int *restrict alive, __global const double *restrict part,
                            __global const double *restrict alpha, __global double *restrict size,
                            __global double *restrict norm, __global double *restrict scale)
{
    BOX(1);
    const int g = alive[get_global_id(1)];
    double mine[1] = {sum_of_chunks(part, begin[g], begin[g + 1])};
    GROUP_SUMS(1, mine);
    if (get_local_id(0) == 0)
        take_length(g, SUM_OF(0, mine), graphs, target, alpha, size, norm, scale);
}

// A random vector: keyed by a graph's own vertices and the number of the restart.
static inline void random_of(const int c, const int target, const uint number, CHUNKS_WITHIN)
{
    CHUNK_OF(c);
    __global double *y = w + target * stride - base;
    FOR_CHUNK(q, v) {
        const double x = (keyed_a(keyed_words(1, (uint)(v - chunk[4 * c + 3]), number, 0, TAG_VECTOR)) >> 11) * 0x1p-53;
        y[v] = number ? x - 0.5 : x + 0.5;   // the first: none of the leading vector's signs differ
    }
}

// The same for each graph whose flag is set.
__kernel void spectrum_random(const int target, const uint number, const int row, CHUNKS, __global const int *restrict flag)
{
    const int c = active[get_group_id(0)];
    if (flag[row * graphs + chunk[4 * c + 2]])
        random_of(c, target, number, CHUNKS_AS);
}

// In a chunk, the first `kept` vectors become combinations of all, and the next one the last.
static inline void turn_of(const int c, const int kept, CHUNKS_WITHIN, __global const double *turn)
{
    CHUNK_OF(c);
    __global const double *mine = turn + (size_t)g * (VECTORS - 1) * kept;
    for (int q = 0; q < PER; q += BLOCK) {
        const long v = (long)first + (long)q * LOCAL + (long)get_local_id(0);
        const int left = (int)clamp((end - v + LOCAL - 1) / LOCAL, 0L, (long)BLOCK);
        double tile[VECTORS][BLOCK];
        for (int i = 0; i < VECTORS; i++)
            if (left == BLOCK)
                for (int l = 0; l < BLOCK; l++)
                    tile[i][l] = w[i * stride + (v - base) + l * LOCAL];
            else
                for (int l = 0; l < BLOCK; l++)
                    tile[i][l] = l < left ? w[i * stride + (v - base) + l * LOCAL] : 0;
        for (int k = 0; k < kept; k += AT_ONCE)
            for (int from = 0; from < left; from += LANES) {
                double sum[AT_ONCE][LANES];
                for (int r = 0; r < AT_ONCE; r++)
                    for (int l = 0; l < LANES; l++)
                        sum[r][l] = 0;
                for (int i = 0; i < VECTORS - 1; i++)
                    UNROLLED for (int r = 0; r < AT_ONCE; r++) {
                        const double by = mine[i * kept + k + r];
                        UNROLLED for (int l = 0; l < LANES; l++)
                            sum[r][l] += by * tile[i][from + l];
                    }
                for (int r = 0; r < AT_ONCE; r++)
                    for (int l = 0; l < min(left - from, LANES); l++)
                        w[(k + r) * stride + (v - base) + (from + l) * LOCAL] = sum[r][l];
            }
        for (int l = 0; l < left; l++)
            w[kept * stride + (v - base) + l * LOCAL] = tile[VECTORS - 1][l];
    }
}

__kernel void spectrum_turn(const int kept, CHUNKS, __global const double *restrict turn)
{
    turn_of(active[get_group_id(0)], kept, CHUNKS_AS, turn);
}

// --- A whole cycle by one work-item for each graph, where there are more graphs than cores: no launch for each step, and
// no graph waits for another. Each sum is added up as by the kernels above: the same bits

#if LOCAL == 1
#define OF_GRAPH(c) for (int c = begin[g]; c < begin[g + 1]; c++)
// the other way round: what was read last for the products is still in the cache
#define OF_GRAPH_BACK(c) for (int c = begin[g + 1] - 1; c >= begin[g]; c--)

// As spectrum_dots, spectrum_sum and spectrum_update
static inline void orthogonal_of(const int g, const int j, const int count, const int target, const int row,
                                 const int chunks, CHUNKS_WITHIN, __global const int *begin,
                                 __global const int *flag, __global const double *alpha,
                                 __global double *part, __global double *h)
{
    const int some = flag[row * graphs + g] ? count : 0;
    for (int c = begin[g]; some && c < begin[g + 1]; c++) {
        const int first = chunk[4 * c], end = chunk[4 * c + 1];
        __global const double *y = w + target * stride - base;
        double t[PER], mine[ROWS];
        TAKE(t, y, j);
        for (int first_row = 0; first_row < some; first_row += ROWS) {
            dots_of(first_row, count - 1, stride, first - base, end - first, u, t, mine);
            for (int r = 0; r < min(ROWS, count - first_row); r++)
                part[(size_t)(first_row + r) * chunks + c] = mine[r];
        }
    }
    for (int i = 0; i < some; i++)
        h[i * graphs + g] = sum_of_chunks(part + (size_t)i * chunks, begin[g], begin[g + 1]) * scale[i * graphs + g];
    OF_GRAPH_BACK(c) part[c] = update_of(c, j, some, target, CHUNKS_AS, alpha, h);
}

__kernel void spectrum_cycle(const int kept, const int steps, const uint number, const int chunks, const int base,
                             const long stride, const int graphs, __global const int *restrict active,
                             __global const int *restrict chunk, __global double *w, __global double *scale,
                             __global const int *restrict begin, __global const int *restrict alive,
                             __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                             __global const ushort *restrict order, __global const int *restrict flag,
                             __global const double *restrict turn, __global double *part, __global double *alpha,
                             __global double *coupling, __global double *h, __global double *size, __global double *norm)
{
    __global const double *u = w;   // no `restrict`: a step reads what the one before has written
#define TO_ORTHOGONAL CHUNKS_AS, begin, flag, alpha, part
    const int g = alive[get_global_id(0)];
    if (kept)
        OF_GRAPH(c) turn_of(c, kept, CHUNKS_AS, turn);
    if (flag[steps * graphs + g])
        OF_GRAPH(c) random_of(c, kept, number, CHUNKS_AS);
    for (int pass = 0; pass < 2; pass++)
        orthogonal_of(g, -1, kept, kept, steps, chunks, TO_ORTHOGONAL, h);
    take_length(g, sum_of_chunks(part, begin[g], begin[g + 1]), graphs, kept, 0, size, norm, scale);
    for (int j = kept; j < steps; j++) {
        OF_GRAPH(c) part[c] = product_of(c, j, kept, CHUNKS_AS, row_ptr, col_idx, norm, order, 0, 0);
        alpha[j * graphs + g] = sum_of_chunks(part, begin[g], begin[g + 1]);
        orthogonal_of(g, j, j + 1, j + 1, j, chunks, TO_ORTHOGONAL, j == kept ? coupling : h);
        if (j == kept)   // its parts along the kept vectors are large: subtract them a second time
            orthogonal_of(g, -1, j + 1, j + 1, j, chunks, TO_ORTHOGONAL, h);
        take_length(g, sum_of_chunks(part, begin[g], begin[g + 1]), graphs, j + 1, alpha, size, norm, scale);
    }
}
#endif
