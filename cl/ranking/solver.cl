// ranking/solver.cl: PageRank by the power method: the start, and the end of an iteration.
//
// An iteration is one or more launches that sum rows (ranking/contribution.cl, ranking/runs.cl, ranking/bins.cl) and
// one that ends it (pagerank_finish). Nothing goes to the host: `state` records on the device that the test was met,
// and surplus launches after that are no-ops (they leave rank, sums and state as they are), so that the host may
// enqueue many iterations before it checks.
//
// layout      ranking/pagerank.h; row v of row_ptr, col_idx holds the sources of the arcs that arrive at v
// launch      start: padded range of work-groups of LOCAL; finish: one group of LOCAL

#include "ranking/pagerank.h"

// The initial vector (`start`, or 1/n with NULL), its contributions, and its dangling mass.
__kernel void pagerank_start(const int n, const WIDE even, __global const REAL *restrict start,
                             __global const REAL *restrict inverse, __global REAL *restrict rank,
                             __global REAL *restrict contribution, __global ACC *restrict parts,
                             __global int *restrict state)
{
    const int norm = 1;   // nothing has moved yet
    TALLY_BOX;
    Tally tally = TALLY_ZERO;
    FOR_ITEMS(v, n) {
        const REAL x = start ? start[v] : (REAL)even;
        const REAL inv = inverse[v];
        rank[v] = x;
        contribution[v + SHIFT] = SENT(x, inv);
        if (inv == 0) tally.dangling_mass = acc_add(tally.dangling_mass, x);
    }
    TALLY_GROUP(tally, parts, get_group_id(0));
    if (get_global_id(0) == 0)
        for (int i = 0; i < 4; i++)
            state[i] = 0;
}

// Totals of `count` parts; counts the iteration (`counts` 0: the start does not count as one) and stops after `last` of
// them, once the norm of the difference is below `threshold` (0: never), or once the ranks are stuck (`noise`: see
// is_stuck in ranking/pagerank.h). `drop`: the mass D is dropped.
__kernel void pagerank_finish(const int count, const int counts, const int last, const WIDE threshold,
                              const WIDE noise, const int norm, const int drop,
                              __global const ACC *restrict parts, __global ACC *restrict sums,
                              __global int *restrict state)
{
    TALLY_BOX;
    __local ACC total[3];
    Tally tally = TALLY_ZERO;
    const int lane = get_local_id(0);
    const int stopped = state[STOPPED];
    barrier(CLK_GLOBAL_MEM_FENCE);   // all have read it before the first one writes it
    if (!stopped) {
        for (int i = lane; i < count; i += LOCAL) {
            tally.dangling_mass = acc_join(tally.dangling_mass, parts[3 * i]);
            tally.moved = acc_join(tally.moved, parts[3 * i + 1]);
            tally.other = norm_join(tally.other, parts[3 * i + 2]);
        }
    }
    TALLY_GROUP(tally, total, 0);
    if (lane == 0 && !stopped) {
        const ACC none = ACC_ZERO;
        sums[0] = drop ? none : total[0];
        sums[1] = total[1];
        const WIDE residual = residual_of(norm, total[1], total[2]);
        sums[2] = acc_add(ACC_ZERO, residual);
        if (counts) {
            const int done = state[ITERATIONS] + 1, met = residual < threshold;
            const int stale = residual < ACC_VALUE(sums[3]) ? 0 : state[STALE] + 1;
            if (stale == 0) sums[3] = sums[2];
            state[ITERATIONS] = done;
            state[CONVERGED] = met;
            state[STALE] = stale;
            state[STOPPED] = met || done >= last || is_stuck(ACC_VALUE(total[1]), noise, stale);
        } else {
            sums[3] = acc_add(ACC_ZERO, FAR);
        }
    }
}
