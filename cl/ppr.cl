// ppr.cl: personalized PageRank, many sources beside each other: starting lanes, ending iterations, taking results.
//
//     x(v) = (1-d) p(v) + d (sum over in-neighbours u of x(u) w(u, v) / W(u) + D q(v)),   D: mass on dangling vertices
//
// An iteration is what sums the rows (ppr_power.cl, ppr_coo.cl) and ppr_finish. The host looks at `state` now and then,
// takes the lanes that have stopped and starts others in their place; launches after a lane's end leave it as it is.
//
// layout      ppr.h
// launch      start, take: padded range, ITEMS vertices each; finish: LANES work-groups of LOCAL, one a lane
// variants    those of ppr.h; SQUARED: the sum of squares is held against the squared tolerance, without a root
// tunables    ITEMS, LOCAL

#include "ppr.h"

// Give `count` lanes a source each: `lane[j]` starts at vertex from[j] (-1: at nothing), or at row j of `given`.
__kernel void ppr_start(const int n, const int count, __global const int *restrict lane, __global const int *restrict from,
                        __global const REAL *restrict given, __global const REAL *restrict scale,
                        __global REAL *restrict value, __global REAL *restrict p)
{
    FOR_ITEMS(v, n) {
        const REAL down = scale[v] == 0 ? (REAL)1 : 1 / scale[v];
        for (int j = 0; j < count; j++) {
#ifdef P_VECTOR
            const REAL x = from[j] < 0 ? (REAL)0 : given[(size_t)j * n + v];
            p[PLACE(v, lane[j])] = x;
#else
            const REAL x = from[j] == v;
#endif
            value[PLACE(v, lane[j])] = x * down;
        }
    }
}

// The ranks of `count` lanes, one vector after the other.
__kernel void ppr_take(const int n, const int count, __global const int *restrict lane, __global const REAL *restrict scale,
                       __global const REAL *restrict value, __global REAL *restrict out)
{
    FOR_ITEMS(v, n) {
        const REAL up = scale[v] == 0 ? (REAL)1 : scale[v];
        for (int j = 0; j < count; j++)
            out[(size_t)j * n + v] = value[PLACE(v, lane[j])] * up;
    }
}

// The totals of a lane over `count` parts; counts its iteration and stops it after `last` of them, or, where the
// difference was summed (`test`, or the last iteration), once its norm is below `threshold`.
__kernel void ppr_finish(const int count, const int test, const int last, const WIDE threshold,
                         __global const ACC *restrict parts, __global ACC *restrict sums, __global int *restrict state)
{
    __local ACC total[3];
    TALLY_BOX;
    Tally tally = TALLY_ZERO;
    const int lane = get_group_id(0), lid = get_local_id(0);
    const int stopped = !RUNS_ON(lane), done = STATE(ITERATIONS, lane) + 1;
    const int look = test || done >= last;
    barrier(CLK_GLOBAL_MEM_FENCE);   // all have read it before the first writes it
    if (!stopped) {
        for (int i = lid; i < count; i += LOCAL) {
            __global const ACC *part = parts + (size_t)i * 3 * LANES + lane;
            tally.lost = acc_join(tally.lost, part[0]);
            if (look) {
                tally.moved = acc_join(tally.moved, part[LANES]);
                tally.other = norm_join(tally.other, part[2 * LANES]);
            }
        }
    }
    TALLY_GROUP(tally, total, 0);
    if (lid == 0 && !stopped) {
#if POLICY == 0
        sums[lane] = ACC_ZERO;
#else
        sums[lane] = total[0];
#endif
        int met = 0;
        if (look) {
#ifdef SQUARED
            const WIDE residual = ACC_VALUE(total[2]);
#else
            const WIDE residual = residual_of(norm, total[1], total[2]);
#endif
            sums[LANES + lane] = total[1];
            sums[2 * LANES + lane] = acc_add(ACC_ZERO, residual);
            met = residual < threshold;
        }
        STATE(ITERATIONS, lane) = done;
        STATE(CONVERGED, lane) = met;
        STATE(STOPPED, lane) = met || done >= last;
    }
}
