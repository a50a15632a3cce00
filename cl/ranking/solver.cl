// ranking/solver.cl: PageRank by the power method: the start, and the end of an iteration.
//
// An iteration is one or more launches that sum rows (ranking/contribution.cl, ranking/runs.cl, ranking/bins.cl) and
// one that ends it (pagerank_finish; where rows have pieces in ranking/bins.cl, the first launch of the next iteration,
// except before a look). Nothing goes to the host: `state` records on the device that the test was met, and surplus
// launches after that are no-ops (they leave rank, sums and state as they are), so that the host may enqueue many
// iterations before it checks.
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

__kernel void pagerank_finish(END_ARGS)
{
    TALLY_BOX;
    __local ACC total[3];
    Tally tally = TALLY_ZERO;
    const int lane = get_local_id(0), stopped = state[STOPPED];
    barrier(CLK_GLOBAL_MEM_FENCE);   // all have read it before the first one writes it
    if (!stopped)
        tally = tally_of_lane(lane, LOCAL, END_PASS);
    TALLY_GROUP(tally, total, 0);
    if (lane == 0 && !stopped) {
        const Tally all = {total[0], total[1], total[2]};
        end_iteration(all, END_PASS);
    }
}
