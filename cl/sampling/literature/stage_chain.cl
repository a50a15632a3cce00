// sampling/literature/stage_chain.cl: starts, and searches as chains: small stages one after the other; or, from a queue,
// vertex after vertex, each seeing what was claimed just before it.
//
// A search of few vertices a stage, which often dies out and starts again, is not worth three launches a stage.
//
// arrays  as in stage.cl; QUEUED: claim is the rank of arrival, and order the queue
// tries   int[runs]: starts so far; next int[runs]: the queue's next entry (starts.cl)
// counts  int[4]: runs that wait for starts, that go on, that are crowded; the most that are to act in one of these
// launch  a run per work-item, about `acts` vertices each at most, so that no driver's watchdog ends it
// variants    METHOD as in stage.cl; QUEUED

#include "keyed.h"
#include "sampling/literature/clock.h"
#include "sampling/literature/stage.h"

#ifndef QUEUED
#define QUEUED 0
#endif

// v takes up to `wanted` names, in their order; returns how many vertices are seen then.
static inline int take_in_order(ulong seed, int v, int wanted, int seen, int target,
                                __global const OFFSET *row_ptr, __global const int *col_idx,
                                __global uint *mine, volatile __global int *parent, __global int *order,
                                volatile __global int *named)
{
    ulong after = 0;
    int first = 1;
    for (int taken = 0; taken < wanted && seen < target; taken++) {
        ulong least = NONE;
        OFFSET best = -1;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            if (METHOD == 0 || mine[col_idx[p]] == UNSEEN) {
                const ulong x = arc_number(seed, v, col_idx[p]);
                if ((first || x > after) && (best < 0 || x < least)) {
                    least = x;
                    best = p;
                }
            }
        if (best < 0) break;
        const int u = col_idx[best];
        after = least;
        first = 0;
        if (named) named[best] = 1;
        if (mine[u] == UNSEEN) {
            mine[u] = (uint)seen;
            order[seen++] = u;
            if (parent) parent[u] = v;
        }
    }
    return seen;
}

// The first vertex of a queue that is not seen; -1: there is none.
static inline int next_open(__global const int *queue, __global int *place, int end, int but, __global const uint *mine)
{
    while (*place < end) {
        const int v = queue[(*place)++];
        if (mine[v] == UNSEEN && v != but) return v;
    }
    return -1;
}

__kernel void stage_chain(const int n, const int runs, const ulong seed, const int acts, const int small,
                          const uint rounds, const int most, const int limits, const int back_limits,
                          __global const ulong *restrict limit, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict col_idx, __global const OFFSET *restrict back_ptr,
                          __global const int *restrict back_idx, const int initial, const int given,
                          __global const int *restrict starts, const int pool_size, __global const int *restrict pool,
                          const int room, __global const int *restrict queue, __global const int *restrict length,
                          __global int *next, __global const int *restrict target, __global int *tries,
                          __global int *status, __global int *from, __global int *to, __global uint *round,
                          __global uint *last, __global uint *claim, volatile __global int *parent,
                          __global int *order, volatile __global int *seen, volatile __global int *named,
                          volatile __global int *restrict counts)
{
    FOR_ITEMS(run, runs) {
        __global uint *mine = claim + (long)run * n;
        __global int *list = order + (long)run * n;
        int now = status[run], left = acts, stay = now == OVER;
        while (!stay) {
            if (now == WANTING) {   // given starts, or one of the pool and the first of the queue; later one at a time
                const int beginning = tries[run] == 0, listed = beginning && given > 0, pooled = beginning && pool_size > 0;
                const int wanted = !beginning ? 1 : listed ? given : initial, end = max(length[run], 0), q = next[run];
                const philox4x32_ctr_t x = keyed_words(seed + run, 0, 0, 0, TAG_DRAW);
                const int drawn = pooled ? pool[mul_hi(keyed_a(x), (ulong)pool_size)] : -1;
                int open = pooled;
                while (!listed && open < wanted && next_open(queue + (long)run * room, next + run, end, drawn, mine) >= 0)
                    open++;
                next[run] = q;
                stay = !(listed || open >= wanted || (length[run] >= 0 && length[run] < room && open > 0));
                if (stay) {
                    atomic_inc(&counts[0]);
                    continue;
                }
                for (int set = 0; set < (listed ? wanted : open); set++) {
                    const int u = listed ? starts[set] : set == 0 && pooled ? drawn
                                  : next_open(queue + (long)run * room, next + run, end, drawn, mine);
                    if (mine[u] == UNSEEN) {
                        mine[u] = QUEUED ? (uint)seen[run] : round[run];
                        if (parent) parent[(long)run * n + u] = -1;
                        list[atomic_inc(&seen[run])] = u;
                    }
                }
                tries[run]++;
                to[run] = seen[run];
                now = seen[run] >= target[run] ? OVER : GOING;
                if (now == OVER) last[run] = round[run];
            }
            else if (left <= 0) {
                stay = 1;
                atomic_inc(&counts[1]);
                continue;
            }
#if QUEUED
            else {
                const int v = list[from[run]++];
                const int until = target[run];
                __global volatile int *own = parent ? parent + (long)run * n : 0;
                int wanted = most, many = seen[run];
#if METHOD == 1
                const philox4x32_ctr_t coin = keyed_words(seed + run, v, 0, 0, TAG_COIN);
                wanted = limits_above(keyed_a(coin), limits, limit);
#endif
                many = take_in_order(seed + run, v, wanted, many, until, row_ptr, col_idx, mine, own, list,
                                     named ? named + (long)run * row_ptr[n] : 0);
#if METHOD == 1
                if (back_ptr)
                    many = take_in_order(seed + run, v, limits_above(keyed_b(coin), back_limits, limit + limits), many,
                                         until, back_ptr, back_idx, mine, own, list, 0);
#endif
                seen[run] = many;
                left--;
                now = many >= until ? OVER : from[run] < many ? GOING : WANTING;
            }
#else
            else if (to[run] - from[run] > small) {
                stay = 1;
                now = CROWDED;
                atomic_inc(&counts[2]);
                atomic_max(&counts[3], to[run] - from[run]);
                continue;
            }
            else {
                for (int i = from[run]; i < to[run]; i++)
                    act(n, seed + run, run, list[i], round[run] + 1, most, limits, back_limits, limit, row_ptr, col_idx,
                        back_ptr, back_idx, claim, parent, order, seen, named);
                left -= to[run] - from[run] + 1;
                now = judge(run, rounds, target, seen, from, to, round, last);
            }
#endif
            stay = now == OVER;
        }
        status[run] = now;
    }
}
