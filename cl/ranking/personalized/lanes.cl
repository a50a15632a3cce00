// ranking/personalized/lanes.cl: personalized PageRank, many sources side by side: starting lanes, ending iterations,
// taking results.
//
//     x(v) = (1-d) p(v) + d (sum over in-neighbours u of x(u) w(u, v) / W(u) + D q(v)),   D: dangling mass
//
// An iteration is the kernels that sum the rows (power.cl, teams.cl or coo.cl in this folder) and ppr_finish. The host
// looks at `state` now and then, fetches the lanes that have stopped and starts others in their place; for a lane that
// has stopped, surplus launches are no-ops.
//
// layout      ranking/personalized/lanes.h
// launch      start: padded range, ITEMS vertices each (if that is one: a work-item for a vertex and a lane); take:
//             padded range, ITEMS vertices each; finish: LANES work-groups of LOCAL, one per lane
// variants    those of ranking/personalized/lanes.h; SQUARED: the sum of squares is compared with the squared tolerance
// tunables    ITEMS, LOCAL

#include "ranking/personalized/lanes.h"

// Give a source to each lane: lane l starts at vertex from[l] (EMPTY: nowhere), or at row given_row[l] of `given`; a
// lane whose `from` is KEPT goes on unchanged.
#define EMPTY -1
#define KEPT -2
__kernel void ppr_start(const int n, __global const int *restrict from, __global const int *restrict given_row,
                        __global const REAL *restrict given, __global const REAL *restrict scale,
                        __global REAL *restrict value, __global REAL *restrict p)
{
#if ITEMS == 1   // adjacent work-items take adjacent lanes
    const long i = get_global_id(0);
    const int v = (int)min(i / LANES, (long)n), past = min(v + 1, n), low = (int)(i & (LANES - 1)), high = low + 1;
    for (int u = v; u < past; u++) {
#else
    const int low = 0, high = LANES;
    FOR_ITEMS(u, n) {
#endif
        for (int l = low; l < high; l++) {
            if (from[l] == KEPT) continue;
#ifdef P_VECTOR
            const REAL x = from[l] == EMPTY ? (REAL)0 : given[(size_t)given_row[l] * n + u];
            p[PLACE(u, l)] = x;
#else
            const REAL x = from[l] == u;
#endif
            value[PLACE(u, l)] = x == 0 || scale[u] == 0 ? x : x / scale[u];
        }
    }
}

// The ranks of `count` lanes, one vector after the other.
__kernel void ppr_take(const int n, const int count, __global const int *restrict lane,
                       __global const REAL *restrict scale,
                       __global const REAL *restrict value, __global REAL *restrict out)
{
    FOR_ITEMS(v, n) {
        const REAL up = scale[v] == 0 ? (REAL)1 : scale[v];
        for (int j = 0; j < count; j++)
            out[(size_t)j * n + v] = value[PLACE(v, lane[j])] * up;
    }
}

// The totals of a lane over `count` parts; counts its iteration and stops it after `last` of them, or, where the
// difference was summed (`test`, or the last iteration), once its norm is below `threshold`, or the lane is stuck
// (`noise`: see is_stuck in ranking/pagerank.h).
__kernel void ppr_finish(const int count, const int test, const int last, const WIDE threshold,
                         const WIDE noise, __global const ACC *restrict parts, __global ACC *restrict sums,
                         __global int *restrict state)
{
    __local ACC total[3];
    TALLY_BOX;
    Tally tally = TALLY_ZERO;
    const int lane = get_group_id(0), lid = get_local_id(0);
    const int stopped = !RUNS_ON(lane), done = STATE(ITERATIONS, lane) + 1;
    const int look = test || done >= last;
    barrier(CLK_GLOBAL_MEM_FENCE);   // all have read it before the first one writes it
    if (!stopped) {
        for (int i = lid; i < count; i += LOCAL) {
            __global const ACC *part = parts + (size_t)i * 3 * LANES + lane;
            tally.dangling_mass = acc_join(tally.dangling_mass, part[0]);
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
        int met = 0, stuck = 0;
        if (look) {
#ifdef SQUARED
            const WIDE residual = ACC_VALUE(total[2]);
#else
            const WIDE residual = residual_of(norm, total[1], total[2]);
#endif
            sums[LANES + lane] = total[1];
            sums[2 * LANES + lane] = acc_add(ACC_ZERO, residual);
            met = residual < threshold;
            const int stale = residual < ACC_VALUE(sums[3 * LANES + lane]) ? 0 : STATE(STALE, lane) + 1;
            if (stale == 0) sums[3 * LANES + lane] = sums[2 * LANES + lane];
            STATE(STALE, lane) = stale;
            stuck = is_stuck(ACC_VALUE(total[1]), noise, stale);
        }
        STATE(ITERATIONS, lane) = done;
        STATE(CONVERGED, lane) = met;
        STATE(STOPPED, lane) = met || stuck || done >= last;
    }
}
