// ranking/solver.cl (pipelines): PageRank: start and end of an iteration (layout: cl/ranking/solver.cl).
//
// per cycle   start: one vertex
// parts       one: the host launches one work-item

#include "fpga/pipeline.h"
#include "ranking/pagerank.h"
#include "fpga/rows.h"
#include "fpga/ranking/flat.h"

PIPELINE void pagerank_start(const int n, const WIDE even, __global const REAL *restrict start,
                             __global const REAL *restrict inverse, __global REAL *restrict rank,
                             __global REAL *restrict contribution, __global ACC *restrict parts,
                             __global int *restrict state)
{
    ulong dangling_mass = 0;
    FOR_EACH(v, n) {
        const REAL x = start ? start[v] : (REAL)even, inv = inverse[v];
        rank[v] = x;
#ifdef SEND_RANK
        contribution[v + SHIFT] = x;
#else
        contribution[v + SHIFT] = x * inv;
#endif
        dangling_mass += inv == 0 ? to_fixed(x) : 0;
    }
    parts[0] = acc_fixed(dangling_mass);
    parts[1] = acc_fixed(0);
    parts[2] = acc_fixed(0);
    state[STOPPED] = 0;
    state[ITERATIONS] = 0;
    state[CONVERGED] = 0;
    state[STALE] = 0;
}

PIPELINE void pagerank_finish(END_ARGS)
{
    if (state[STOPPED]) return;
    Tally total = TALLY_ZERO;
    FOR_EACH(i, count) {
        total.dangling_mass = acc_join(total.dangling_mass, parts[3 * i]);
        total.moved = acc_join(total.moved, parts[3 * i + 1]);
        total.other = norm_join(total.other, parts[3 * i + 2]);
    }
    end_iteration(total, END_PASS);
}
