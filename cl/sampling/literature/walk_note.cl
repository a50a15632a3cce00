// sampling/literature/walk_note.cl: where walks have been: when each vertex was first seen, how often, by which edges; and
// when a leg is over.
//
// The visit of walker w after step t counts at t * walkers + w: the smallest one is a vertex's first. Within a launch it is
// kept relative to the launch's beginning, in 32 bits.
//
// first   ulong[runs * n]: NONE: not seen
// claim   uint[runs * n]: the first visit within this launch; 0xFFFFFFFF: not seen, 0: seen before
// status  int[runs]: RUNNING, LEG (a new leg is wanted), OVER, ENDING (over in this launch)
// made    int[runs]: steps of this launch; todo: of the next
// launch  note, settle, tally: padded ranges over the trail (walk.cl), ITEMS consecutive entries per work-item;
//         judge, begin: a run per work-item; start_keys, visited: vertices, by runs; gather: entries, by runs

#include "keyed.h"
#include "sampling/literature/clock.h"

#ifndef OFFSET
#define OFFSET int
#endif

#define RUNNING 0
#define LEG 1
#define OVER 2
#define ENDING 3
#define UNSEEN 0xFFFFFFFFu

// for (each entry e of the trail that was walked): walker i, run, step s of the launch, vertex v
#define FOR_TRAIL(e, steps, runs, walkers, made)                                                        \
    FOR_ITEMS(e, steps * runs * walkers)                                                                \
        for (int s = e / (runs * walkers), i = e - s * (runs * walkers), run = i / walkers, go = 1;     \
             go && s < made[run]; go = 0)

static inline int vertex_of(int entry) { return entry < 0 ? ~entry : entry; }

__kernel void walk_note(const int n, const int runs, const int walkers, const int steps,
                        __global const int *restrict made, __global const int *restrict trail,
                        __global uint *restrict claim)
{
    FOR_TRAIL(e, steps, runs, walkers, made) {
        volatile __global uint *mine = claim + (long)run * n + vertex_of(trail[e]);
        const uint at = (uint)(s + 1) * (uint)walkers + (uint)(i - run * walkers);
        if (at < SHARED_LOAD(mine))   // a stale value is only larger
            atomic_min(mine, at);
    }
}

// The first visits of this launch, each by the one walker that made it.
__kernel void walk_settle(const int n, const int runs, const int walkers, const int steps,
                          __global const int *restrict made, __global const ulong *restrict done,
                          __global const int *restrict trail, __global const int *restrict from,
                          __global uint *restrict claim, __global ulong *restrict first, __global int *restrict parent,
                          volatile __global int *restrict seen)
{
    FOR_TRAIL(e, steps, runs, walkers, made) {
        const long slot = (long)run * n + vertex_of(trail[e]);
        const uint at = (uint)(s + 1) * (uint)walkers + (uint)(i - run * walkers);
        // only one entry has this number; the others see it, or 0
        if (SHARED_LOAD(claim + slot) == at) {
            SHARED_STORE(claim + slot, 0u);
            first[slot] = done[run] * (ulong)walkers + at;
            if (parent)
                parent[slot] = trail[e] < 0 ? -1 : s ? vertex_of(trail[e - runs * walkers]) : from[i];
            atomic_inc(&seen[run]);
        }
    }
}

// Visits, up to each run's cut; the edges walked up to there where `walked` is not NULL.
// Of exact lengths, visits after every thin-th step past burn_in count, and go into `batches` parts of the walk.
__kernel void walk_tally(const int n, const int runs, const int walkers, const int steps,
                         __global const int *restrict made, __global const ulong *restrict done,
                         __global const int *restrict status, __global const ulong *restrict cut, const ulong burn_in,
                         const ulong thin, const ulong batches, const ulong counted,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict trail,
                         __global const int *restrict place, __global const int *restrict from,
                         volatile __global int *restrict visits, volatile __global int *restrict walked)
{
    FOR_TRAIL(e, steps, runs, walkers, made) {
        const ulong t = done[run] + (ulong)(s + 1);
        const ulong at = t * (ulong)walkers + (ulong)(i - run * walkers);
        if (!cut || status[run] != ENDING || at <= cut[run]) {
            if (t > burn_in) {
                // no %: LLVM merges it with the division into an instruction that Oclgrind does not know
                const ulong rank = (t - burn_in - 1) / thin;
                if (rank * thin + thin == t - burn_in) {
                    const ulong batch = batches > 1 ? rank * batches / counted : 0;
                    atomic_inc(&visits[((long)batch * runs + run) * n + vertex_of(trail[e])]);
                }
            }
            if (walked && place[e] >= 0) {
                const int tail = s ? vertex_of(trail[e - runs * walkers]) : from[i];
                atomic_or(&walked[(long)run * row_ptr[n] + row_ptr[tail] + place[e]], 1);
            }
        }
    }
}

// After a launch: which runs are over, which go into a new leg, and how far the others go. tally: how many of each.
__kernel void walk_judge(const int runs, const int walkers, const ulong patience, const ulong total,
                         __global const int *restrict target, __global const int *restrict seen,
                         __global const int *restrict leg_seen, __global const ulong *restrict leg_begin,
                         __global ulong *restrict boundary, __global const ulong *restrict done,
                         __global const int *restrict todo, __global int *restrict made, __global int *restrict status,
                         volatile __global int *restrict tally)
{
    FOR_ITEMS(run, runs) {
        const int was = status[run];
        int now = was == ENDING ? OVER : was;
        if (was == RUNNING) {
            const ulong t = done[run] + (ulong)todo[run], steps = t - leg_begin[run];
            if (seen[run] >= target[run]) now = ENDING;
            else if (t >= total) now = OVER;
            else if (t == boundary[run]) {
                if (steps * (ulong)walkers > patience * (ulong)(seen[run] - leg_seen[run])) now = LEG;
                else boundary[run] = leg_begin[run] + (steps <= 65536 ? 2 * steps : steps + 65536);
            }
        }
        made[run] = todo[run];
        status[run] = now;
        if (now != was || now == RUNNING) atomic_inc(&tally[now]);
    }
}

// Past the launch that walk_judge looked at.
__kernel void walk_go_on(const int runs, const int most, const ulong total, __global const int *restrict made,
                         __global const int *restrict status, __global const ulong *restrict boundary,
                         __global ulong *restrict done, __global int *restrict todo)
{
    FOR_ITEMS(run, runs) {
        done[run] += (ulong)made[run];
        todo[run] = status[run] == RUNNING ? (int)min((ulong)most, min(boundary[run], total) - done[run]) : 0;
    }
}

// Starts, of runs that want a leg: given ones in turn; or `ready` walkers have theirs, and the others get the first of the
// queue (ascending by start priority) that are not seen, in turn where these are too few.
// short_of: how many runs have to wait for more of the queue.
__kernel void walk_begin(const int n, const int runs, const int walkers, const int most, const ulong total, const ulong seed,
                         const int given,
                         __global const int *restrict starts, const int pool_size, __global const int *restrict pool,
                         const int room, __global const int *restrict queue, __global const int *restrict length,
                         __global int *restrict next, __global const int *restrict target, __global int *restrict seen,
                         __global int *restrict leg_seen, __global ulong *restrict leg_begin,
                         __global ulong *restrict boundary, __global const ulong *restrict done,
                         __global int *restrict todo, __global int *restrict status, __global int *restrict home,
                         __global int *restrict pos, __global int *restrict prev, __global uint *restrict claim,
                         __global ulong *restrict first, __global int *restrict parent,
                         volatile __global int *restrict short_of)
{
    FOR_ITEMS(run, runs) {
        const ulong t = done[run];
        const int beginning = t == 0;
        int set = 0, found = 0, ready = 1;
        __global int *mine = home + (long)run * walkers;
        if (status[run] == LEG) {
            const int before = seen[run];
            if (beginning && given > 0) {
                for (int w = 0; w < walkers; w++)
                    mine[w] = starts[w < given ? w : w - w / given * given];
                set = walkers;
            }
            else {
                if (beginning && pool_size > 0) {
                    const philox4x32_ctr_t x = keyed_words(seed + run, 0, 0, 0, TAG_DRAW);
                    mine[set++] = pool[mul_hi(keyed_a(x), (ulong)pool_size)];
                }
                int q = next[run];
                const int end = length[run];
                while (q < end && set < walkers) {
                    const int v = queue[(long)run * room + q++];
                    if (first[(long)run * n + v] == NONE && !(set && v == mine[0]))
                        mine[set++] = v;
                }
                // a full queue that has too few: there are more
                ready = set == walkers || (end < room && end >= 0);
                found = set;
                if (ready) next[run] = set == walkers ? q : end;
                for (int w = set; ready && found && w < walkers; w++)
                    mine[w] = mine[w - w / found * found];
                if (!found) ready = 0;
            }
            if (ready) {
                int brought = 0;
                for (int w = 0; w < walkers; w++) {
                    const int v = mine[w];
                    const long slot = (long)run * n + v;
                    pos[(long)run * walkers + w] = v;
                    prev[(long)run * walkers + w] = -1;
                    if (first && first[slot] == NONE) {
                        first[slot] = t * (ulong)walkers + (ulong)w;
                        claim[slot] = 0;
                        if (parent) parent[slot] = -1;
                        brought++;
                    }
                }
                leg_seen[run] = before;
                leg_begin[run] = t;
                boundary[run] = t + 64;
                seen[run] = before + brought;
                status[run] = before + brought >= target[run] ? OVER : RUNNING;
                todo[run] = status[run] == RUNNING ? (int)min((ulong)most, min((ulong)64, total - t)) : 0;
            }
            else atomic_inc(short_of);
        }
    }
}

// The order of starts among the vertices not seen; only those with edges where row_ptr is not NULL.
__kernel void walk_start_keys(const int n, const ulong seed, __global const ulong *restrict first,
                              __global const OFFSET *restrict row_ptr, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n) {
        const long slot = (long)run * n + v;
        const int open = first[slot] == NONE && (!row_ptr || row_ptr[v + 1] > row_ptr[v]);
        key[slot] = open ? start_priority(seed + run, v) : NONE;
    }
}

// Keys that take the vertices with a visit (in whatever batch) or a first visit.
__kernel void walk_visited(const int n, const int batches, __global const int *restrict visits,
                           __global const ulong *restrict first, __global ulong *restrict key)
{
    const int run = (int)get_global_id(1), runs = (int)get_global_size(1);
    FOR_ITEMS(v, n) {
        int any = first && first[(long)run * n + v] != NONE;
        for (int b = 0; b < batches; b++)
            any |= visits[((long)b * runs + run) * n + v] != 0;
        key[(long)run * n + v] = any ? (first ? first[(long)run * n + v] : 0) : NONE;
    }
}

// value[run][v] of the vertices listed.
__kernel void walk_gather(const int n, const long base, __global const long *restrict offset,
                          __global const int *restrict list, __global const int *restrict value,
                          __global int *restrict out)
{
    const int run = (int)get_global_id(1);
    const long at = offset[run] + (long)get_global_id(0);
    if (at < offset[run + 1])
        out[at] = value[base + (long)run * n + list[at]];
}
