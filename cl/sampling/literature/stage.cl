// sampling/literature/stage.cl: searches that spread in stages (snowball, ff, rds), one stage kernel for all of them.
//
// All vertices that the last stage brought act at once, on the vertices unseen at the stage's beginning; what is claimed
// twice is seen once. v takes names in increasing number(v, u; ARC): `most` of them (of all neighbours: snowball; of the
// unseen ones: rds), or as many as a threshold on its coin says (ff). Small stages are made by stage_chain.cl.
//
// claim   uint[runs * n]: the round in which a vertex was seen; UNSEEN
// parent  int[runs * n]: the smallest of those that claimed it; or NULL
// order   int[runs * n]: vertices seen, stage after stage, within a stage in any order; seen int[runs]: how many
// from, to  int[runs]: those who act: order[from], ..., order[to - 1]
// round   uint[runs]: stages made; last uint[runs]: the one in which a run was over
// status  int[runs]: GOING, WANTING (a start), OVER, CROWDED (many are to act)
// limit   ulong[limits]: floor(2^64 p^j), j = 1, 2, ...
// named   int[runs * arcs]: 1 where an arc was named; or NULL
// launch  act: a work-item per vertex of the longest stage, by runs; judge: per run; keys: padded range over vertices, by
//         runs, ITEMS consecutive ones per work-item
// variants    METHOD: 0 snowball, 1 ff, 2 rds

#include "keyed.h"
#include "sampling/literature/clock.h"
#include "sampling/literature/stage.h"

// back_ptr, back_idx: the reversed rows of directed ff, else NULL; its limits are limit[limits], ...
__kernel void stage_act(const int n, const ulong seed, const int most, const int limits, const int back_limits,
                        __global const ulong *restrict limit, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global const OFFSET *restrict back_ptr,
                        __global const int *restrict back_idx, __global const int *restrict status,
                        __global const int *restrict from, __global const int *restrict to,
                        __global const uint *restrict round, __global uint *claim, volatile __global int *parent,
                        __global int *order, volatile __global int *seen, volatile __global int *named)
{
    const int run = (int)get_global_id(1), i = from[run] + (int)get_global_id(0);
    if (status[run] == CROWDED && i < to[run])
        act(n, seed + run, run, order[(long)run * n + i], round[run] + 1, most, limits, back_limits, limit, row_ptr, col_idx,
            back_ptr, back_idx, claim, parent, order, seen, named);
}

__kernel void stage_judge(const int runs, const uint rounds, __global const int *restrict target,
                          volatile __global int *seen, __global int *from, __global int *to, __global uint *round,
                          __global uint *last, __global int *restrict status)
{
    FOR_ITEMS(run, runs) {
        if (status[run] == CROWDED) status[run] = judge(run, rounds, target, seen, from, to, round, last);
    }
}

// Keys that cut the last stage to its smallest priorities; of a queue: in order of arrival.
__kernel void stage_keys(const int n, const ulong seed, __global const uint *restrict claim,
                         __global const uint *restrict last, const int queued, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n) {
        const uint when = claim[(long)run * n + v];
        ulong rank = NONE;
        if (when != UNSEEN) rank = queued ? when : when < last[run] ? 0 : vertex_priority(seed + run, v);
        key[(long)run * n + v] = rank;
    }
}
