// sampling/literature/walk_legs.cl: where the legs of walks begin, and when they are over.
//
// A leg begins with all walkers at their starts: those given, in turn; or one drawn from the pool and the first of a
// queue (starts.cl) that are not seen, in turn where these are fewer than the walkers.
//
// status  int[runs]: RUNNING, LEG (a new leg is wanted), OVER, ENDING (over in this launch)
// made    int[runs]: steps of the last launch; todo: of the next
// chosen  int[runs]: starts of the leg that is to begin; 0: none begins
// first, claim    see walk_note.cl; NULL where only visits count
// launch  judge, go_on, run: a run per work-item; choose: a group of LANES per run; set, settle: padded ranges over all
//         walkers, ITEMS consecutive ones per work-item
// tunables    LANES, a power of 2; EACH: consecutive entries of the queue that a lane looks at

#include "keyed.h"
#include "sampling/literature/clock.h"

#define RUNNING 0
#define LEG 1
#define OVER 2
#define ENDING 3
#define UNSEEN 0xFFFFFFFFu
#ifndef LANES
#define LANES 256
#endif
#ifndef EACH
#define EACH 1
#endif

// Steps of the next launch: up to the first boundary at which the leg may be over, since it has brought so many vertices
// already, and no further than to where, at its pace, all are there.
static inline int next_steps(ulong t, ulong begin, ulong *boundary, int most, ulong total, ulong patience, int walkers,
                             int brought, int missing)
{
    const ulong steps = t - begin, some = (ulong)max(brought, 1);
    while (*boundary - t < (ulong)most && (*boundary - begin) * (ulong)walkers <= patience * some)
        *boundary += min(*boundary - begin, 65536UL);
    const ulong pace = max((steps / some + 1) * (ulong)max(missing, 1), steps / 8 + 64);
    return (int)min(min((ulong)most, pace), min(*boundary, total) - t);
}

// After a launch: which runs are over, which go into a new leg, and how far the others go in the next. tally: how many of
// each, and the most steps of the next launch.
__kernel void legs_judge(const int runs, const int walkers, const int most, const ulong patience, const ulong total,
                         __global const int *restrict target, __global const int *restrict seen,
                         __global const int *restrict leg_seen, __global const ulong *restrict leg_begin,
                         __global ulong *restrict boundary, __global const ulong *restrict done,
                         __global int *restrict todo, __global int *restrict made, __global int *restrict status,
                         volatile __global int *restrict tally)
{
    FOR_ITEMS(run, runs) {
        const int was = status[run];
        const ulong t = done[run] + (ulong)todo[run];
        int now = was == ENDING ? OVER : was;
        if (was == RUNNING) {
            const ulong steps = t - leg_begin[run];
            if (seen[run] >= target[run]) now = ENDING;
            else if (t >= total) now = OVER;
            else if (t == boundary[run]) {
                if (steps * (ulong)walkers > patience * (ulong)(seen[run] - leg_seen[run])) now = LEG;
                else boundary[run] = t + min(steps, 65536UL);
            }
        }
        made[run] = todo[run];
        todo[run] = 0;
        if (now == RUNNING) {
            ulong until = boundary[run];
            const int brought = seen[run] - leg_seen[run], missing = target[run] - seen[run];
            todo[run] = next_steps(t, leg_begin[run], &until, most, total, patience, walkers, brought, missing);
            boundary[run] = until;
            atomic_max(&tally[4], todo[run]);
        }
        status[run] = now;
        if (now != was || now == RUNNING) atomic_inc(&tally[now]);
    }
}

// Past the launch that legs_judge looked at.
__kernel void legs_go_on(const int runs, __global const int *restrict made, __global ulong *restrict done)
{
    FOR_ITEMS(run, runs) done[run] += (ulong)made[run];
}

// Starts, of the runs that want a leg. short_of: how many runs have to wait for more of the queue.
__kernel void legs_choose(const int n, const int walkers, const ulong seed, const int given,
                          __global const int *restrict starts, const int pool_size, __global const int *restrict pool,
                          const int room, __global const int *restrict queue, __global const int *restrict length,
                          __global int *restrict next, __global const ulong *restrict done,
                          __global const int *restrict status, __global const uint *restrict claim,
                          __global const int *restrict seen, __global int *restrict leg_seen,
                          __global int *restrict home, __global int *restrict chosen,
                          volatile __global int *restrict short_of)
{
    __local int box[LANES], last;
    const int run = (int)get_global_id(1), lane = (int)get_local_id(0);
    const int wanting = status[run] == LEG, beginning = done[run] == 0, listed = wanting && beginning && given > 0;
    const int pooled = wanting && beginning && pool_size > 0 && !listed;
    __global int *mine = home + (long)run * walkers;
    const int drawn = pooled ? pool[mul_hi(keyed_a(keyed_words(seed + run, 0, 0, 0, TAG_DRAW)), (ulong)pool_size)] : -1;
    const int begin = next[run], end = wanting && !listed ? max(length[run], begin) : begin;
    int set = pooled;
    if (lane == 0) {
        if (pooled) mine[0] = drawn;
        last = end;
    }
    for (int w = lane; listed && w < min(walkers, given); w += LANES)
        mine[w] = starts[w];
    for (int q = begin; q < end && set < walkers; q += LANES * EACH) {   // the same for all lanes
        int vertex[EACH], many = 0;
        for (int k = 0, at = q + lane * EACH; k < EACH; k++, at++) {
            const int v = at < end ? queue[(long)run * room + at] : -1;
            const int open = v >= 0 && v != drawn && (!claim || claim[(long)run * n + v] == UNSEEN);
            vertex[k] = open ? v : -1;
            many += open;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        box[lane] = many;
        for (int by = 1; by < LANES; by *= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const int less = lane >= by ? box[lane - by] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            box[lane] += less;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int place = set + box[lane] - many;
        for (int k = 0; k < EACH; k++)
            if (vertex[k] >= 0) {
                if (place < walkers) mine[place] = vertex[k];
                if (place == walkers - 1) last = q + lane * EACH + k + 1;
                place++;
            }
        set = min(set + box[LANES - 1], walkers);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // next is read above
    if (lane == 0) {
        // a full queue that has too few: there are more
        const int ready = set == walkers || (length[run] >= 0 && length[run] < room && set > 0);
        chosen[run] = listed ? min(walkers, given) : wanting && ready ? set : 0;
        if (wanting) leg_seen[run] = seen[run];
        if (wanting && !listed && ready) next[run] = last;
        if (wanting && !listed && !ready) atomic_inc(short_of);
    }
}

// The walkers of the legs that begin go to their starts; the first of each start claims it.
__kernel void legs_set(const int n, const int runs, const int walkers, __global const int *restrict chosen,
                       __global int *restrict home, __global int *restrict pos, __global int *restrict prev,
                       volatile __global uint *restrict claim)
{
    FOR_ITEMS(i, runs * walkers) {
        const int run = i / walkers, w = i - run * walkers, some = chosen[run];
        if (some) {
            const int v = home[(long)run * walkers + (w < some ? w : w - w / some * some)];
            if (w >= some) home[i] = v;
            pos[i] = v;
            prev[i] = -1;
            if (claim) atomic_min(&claim[(long)run * n + v], (uint)w + 1);   // 0: seen before
        }
    }
}

__kernel void legs_settle(const int n, const int runs, const int walkers, __global const int *restrict chosen,
                          __global const int *restrict home, __global const ulong *restrict done,
                          __global uint *restrict claim, __global ulong *restrict first, __global int *restrict parent,
                          volatile __global int *restrict seen)
{
    FOR_ITEMS(i, runs * walkers) {
        const int run = i / walkers, w = i - run * walkers;
        const long slot = (long)run * n + home[i];
        // only one walker has this number; the others see it, or 0
        if (chosen[run] && SHARED_LOAD(claim + slot) == (uint)w + 1) {
            SHARED_STORE(claim + slot, 0u);
            first[slot] = done[run] * (ulong)walkers + (ulong)w;
            if (parent) parent[slot] = -1;
            atomic_inc(&seen[run]);
        }
    }
}

// The legs begin; gap: up to their first boundary. longest: the most steps of their first launch.
__kernel void legs_run(const int runs, const int walkers, const int most, const ulong patience, const ulong total,
                       const ulong gap, __global int *restrict chosen, __global const int *restrict target,
                       __global const int *restrict seen, __global const int *restrict leg_seen,
                       volatile __global int *restrict longest, __global ulong *restrict leg_begin, __global ulong *restrict boundary,
                       __global const ulong *restrict done, __global int *restrict todo, __global int *restrict status)
{
    FOR_ITEMS(run, runs) {
        if (chosen[run]) {
            const ulong t = done[run];
            const int brought = seen[run] - leg_seen[run], missing = target[run] - seen[run];
            ulong until = t + gap;
            leg_begin[run] = t;
            status[run] = missing <= 0 ? OVER : RUNNING;
            todo[run] = missing <= 0 ? 0 : next_steps(t, t, &until, most, total, patience, walkers, brought, missing);
            boundary[run] = until;
            chosen[run] = 0;
            atomic_max(longest, todo[run]);
        }
    }
}
