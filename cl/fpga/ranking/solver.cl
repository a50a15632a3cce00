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

PIPELINE void pagerank_finish(const int count, const int counts, const int last, const WIDE threshold,
                              const WIDE noise, const int norm, const int drop, __global const ACC *restrict parts,
                              __global ACC *restrict sums, __global int *restrict state)
{
    if (state[STOPPED]) return;
    ACC dangling_mass = ACC_ZERO, moved = ACC_ZERO, other = ACC_ZERO;
    FOR_EACH(i, count) {
        dangling_mass = acc_join(dangling_mass, parts[3 * i]);
        moved = acc_join(moved, parts[3 * i + 1]);
        other = join_by_norm(norm, other, parts[3 * i + 2]);
    }
    const ACC none = ACC_ZERO;
    const WIDE residual = residual_of(norm, moved, other);
    sums[0] = drop ? none : dangling_mass;
    sums[1] = moved;
    sums[2] = acc_add(ACC_ZERO, residual);
    if (counts) {
        const int done = state[ITERATIONS] + 1, met = residual < threshold;
        const int stale = residual < ACC_VALUE(sums[3]) ? 0 : state[STALE] + 1;
        if (stale == 0) sums[3] = sums[2];
        state[ITERATIONS] = done;
        state[CONVERGED] = met;
        state[STALE] = stale;
        state[STOPPED] = met || done >= last || is_stuck(ACC_VALUE(moved), noise, stale);
    } else {
        sums[3] = acc_add(ACC_ZERO, FAR);
    }
}
