// ranking/top.cl (pipelines): the k largest of one or more vectors (layout and method:
// cl/ranking/top.cl).
//
// per cycle   chunks: an entry of every lane. pick, for each of the k: a chunk's best, then an entry of the best chunk
// bound by    the clock: n cycles, and k (n / CHUNK + CHUNK) per lane
// compared    as integers, in one cycle: values are not negative, so their bit patterns have the same order
// variants    SCALED, NUMBERED follow from the arguments `scale`, `number`

#include "fpga/pipeline.h"

#ifndef REAL
#define REAL float
#endif
#ifndef LANES
#define LANES 1
#endif

#define NOBODY 0x7fffffff
#define NUMBER(v) (number ? number[v] : (v))

// 0 is never a real score.
static inline ulong order_of(const REAL x)
{
    union {
        ulong bits;
        REAL value;
    } u;
    u.bits = 0;
    u.value = x;
    return u.bits + 1;
}

static inline REAL score_of(__global const REAL *score, __global const REAL *scale, const int v, const int lane)
{
    const REAL x = score[(long)v * LANES + lane], factor = scale ? scale[v] : 0;
    return factor == 0 ? x : x * factor;
}

static inline int goes_before(const ulong a, const int name_a, const ulong b, const int name_b)
{
    return a > b || (a == b && name_a < name_b);
}

PIPELINE void top_chunks(const int n, const int chunk, const int chunks, __global const int *restrict lane,
                         __global const REAL *restrict score, __global const REAL *restrict scale,
                         __global const int *restrict number, __global REAL *restrict best, __global int *restrict who)
{
    ulong high[LANES];
    int name[LANES], at[LANES], inside = 0, c = 0;
    REAL value[LANES];
    FOR_EACH(v, n) {
        const int called = NUMBER(v), ends = inside + 1 == chunk || v + 1 == n;
        #pragma unroll
        for (int l = 0; l < LANES; l++) {
            const REAL x = score_of(score, scale, v, l);
            const ulong order = order_of(x);
            if (inside == 0 || goes_before(order, called, high[l], name[l])) {
                high[l] = order;
                name[l] = called;
                at[l] = v;
                value[l] = x;
            }
            if (ends) {
                best[(long)l * chunks + c] = value[l];
                who[(long)l * chunks + c] = at[l];
            }
        }
        inside = ends ? 0 : inside + 1;
        c += ends;
    }
}

PIPELINE void top_pick(const int n, const int chunk, const int chunks, const int k, const int count,
                       __global const int *restrict lane, __global const REAL *restrict score,
                       __global const REAL *restrict scale, __global const int *restrict number,
                       __global REAL *restrict best, __global int *restrict who,
                       __global int *restrict top_name, __global REAL *restrict top_score)
{
    for (int j = 0; j < count; j++) {
        const int l = lane[j];
        const long own = (long)l * chunks;
        for (int turn = 0; turn < k; turn++) {
            ulong high = 0;
            int name = NOBODY, at = 0;
            REAL value = -1;
            FOR_EACH(c, chunks) {
                const int v = who[own + c], called = v == NOBODY ? NOBODY : NUMBER(v);
                const REAL x = best[own + c];
                const ulong order = v == NOBODY ? 0 : order_of(x);
                if (goes_before(order, called, high, name)) {
                    high = order;
                    name = called;
                    at = v;
                    value = x;
                }
            }
            top_name[(long)j * k + turn] = name;
            top_score[(long)j * k + turn] = value;
            const int c = at / chunk;
            const long begin = (long)c * chunk, end = min(begin + chunk, (long)n);
            const ulong limit = high;
            const int limit_name = name;
            high = 0;
            name = at = NOBODY;
            value = -1;
            for (int v = (int)begin; v < (int)end; v++) {
                const int called = NUMBER(v);
                const REAL x = score_of(score, scale, v, l);
                const ulong order = order_of(x);
                if (goes_before(limit, limit_name, order, called) && goes_before(order, called, high, name)) {
                    high = order;
                    name = called;
                    at = v;
                    value = x;
                }
            }
            best[own + c] = value;
            who[own + c] = at;
        }
    }
}
