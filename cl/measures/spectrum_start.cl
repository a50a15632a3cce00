// measures/spectrum_start.cl: sums over chunks, and what happens to the basis at a restart; see measures/spectrum.cl.
//
// begin       int[graphs + 1]   where each graph's chunks begin
// alive       int[]             the graphs that are not done
// turn        double[graphs][VECTORS - 1][kept]   what each vector has in each of the first `kept` of the new basis; kept
//             is a multiple of AT_ONCE
// size        double[graphs]    the longest product A v so far
// tunables    VECTORS (one more than a cycle has steps)

#include "keyed.h"
#include "measures/spectrum.h"

#ifndef VECTORS
#define VECTORS 49
#endif
#define AT_ONCE 4
#define TAG_VECTOR 16u
#define LEAST 1e-12   // a vector that is so much shorter than the longest product is none: the others' space is closed

static inline double sum_of_chunks(__global const double *restrict part, const int from, const int to)
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

// The length of vector `target` from the parts of its square; alpha: of the step that made it, or NULL.
__kernel void spectrum_norm(const int graphs, const int target, __global const int *restrict begin,
                            __global const int *restrict alive, __global const double *restrict part,
                            __global const double *restrict alpha, __global double *restrict size,
                            __global double *restrict norm, __global double *restrict scale)
{
    BOX(1);
    const int g = alive[get_global_id(1)];
    double mine[1] = {sum_of_chunks(part, begin[g], begin[g + 1])};
    GROUP_SUMS(1, mine);
    if (get_local_id(0) == 0) {
        const double length = sqrt(SUM_OF(0, mine));
        if (alpha)
            size[g] = fmax(size[g], hypot(alpha[(target - 1) * graphs + g], length));
        const int none = length <= LEAST * size[g];
        norm[target * graphs + g] = none ? 0 : length;
        scale[target * graphs + g] = none ? 0 : 1 / length;
    }
}

// A random vector for each graph whose flag is set: keyed by its own vertices and the number of the restart.
__kernel void spectrum_random(const int target, const uint number, const int row, CHUNKS, __global const int *restrict flag)
{
    MY_CHUNK;
    if (!flag[row * graphs + g])
        return;
    __global double *y = w + target * stride - base;
    FOR_CHUNK(q, v) {
        const double x = (keyed_a(keyed_words(1, (uint)(v - chunk[4 * c + 3]), number, 0, TAG_VECTOR)) >> 11) * 0x1p-53;
        y[v] = number ? x - 0.5 : x + 0.5;   // the first: none of the leading vector's signs differ
    }
}

// The first `kept` vectors become combinations of all, and the next one the last.
__kernel void spectrum_turn(const int kept, CHUNKS, __global const double *restrict turn)
{
    MY_CHUNK;
    __global const double *mine = turn + (size_t)g * (VECTORS - 1) * kept;
    for (int q = 0; q < PER; q += LANES) {
        const long v = (long)first + (long)q * LOCAL + (long)get_local_id(0);
        const int lanes = (int)clamp((end - v + LOCAL - 1) / LOCAL, 0L, (long)LANES);
        double tile[VECTORS][LANES];
        for (int i = 0; i < VECTORS; i++)
            for (int l = 0; l < LANES; l++)
                tile[i][l] = l < lanes ? w[i * stride + (v - base) + l * LOCAL] : 0;
        for (int k = 0; k < kept; k += AT_ONCE) {
            double sum[AT_ONCE][LANES];
            for (int r = 0; r < AT_ONCE; r++)
                for (int l = 0; l < LANES; l++)
                    sum[r][l] = 0;
            for (int i = 0; i < VECTORS - 1; i++)
                for (int r = 0; r < AT_ONCE; r++) {
                    const double by = mine[i * kept + k + r];
                    for (int l = 0; l < LANES; l++)
                        sum[r][l] += by * tile[i][l];
                }
            for (int r = 0; r < AT_ONCE; r++)
                for (int l = 0; l < lanes; l++)
                    w[(k + r) * stride + (v - base) + l * LOCAL] = sum[r][l];
        }
        for (int l = 0; l < lanes; l++)
            w[kept * stride + (v - base) + l * LOCAL] = tile[VECTORS - 1][l];
    }
}
