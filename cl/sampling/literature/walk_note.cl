// sampling/literature/walk_note.cl: where walks have been: when each vertex was first seen, how often, by which edges.
//
// The visit of walker w after step t counts at t * walkers + w: the smallest one is a vertex's first. Within a launch it is
// kept relative to the launch's beginning, in 32 bits.
//
// first   ulong[runs * n]: NONE: not seen
// claim   uint[runs * n]: the first visit within this launch; 0xFFFFFFFF: not seen, 0: seen before
// status  int[runs]: see walk_legs.cl; made int[runs]: steps of this launch
// launch  padded ranges over the trail (walk.cl), ITEMS consecutive entries per work-item; walk_rows: over walkers
// tunables    TILE: walkers whose steps are moved together, so that a CPU reads whole cache lines

#include "keyed.h"
#include "sampling/literature/clock.h"

#define ENDING 3
#ifndef TILE
#ifdef KIND_GPU
#define TILE 1
#else
#define TILE 16
#endif
#endif

// for (each entry e of the trail that was walked): walker w of a run, step s of the launch
#define FOR_TRAIL(e, steps, runs, walkers, made)                                                               \
    for (int e = (int)min((long)get_global_id(0) * ITEMS, (long)(steps) * (runs) * (walkers)),                 \
             e##_bound = (int)min((long)e + ITEMS, (long)(steps) * (runs) * (walkers)),                        \
             s = e / ((runs) * (walkers)), run = (e - s * (runs) * (walkers)) / (walkers),                     \
             w = e - (s * (runs) + run) * (walkers);                                                           \
         e < e##_bound;                                                                                        \
         e++, w = w + 1 == (walkers) ? 0 : w + 1, run = w ? run : run + 1 == (runs) ? 0 : run + 1, s += !(w | run)) \
        if (s < made[run])

static inline int vertex_of(int entry) { return entry < 0 ? ~entry : entry; }

__kernel void walk_note(const int n, const int runs, const int walkers, const int steps,
                        __global const int *restrict made, __global const int *restrict trail,
                        __global uint *restrict claim)
{
    FOR_TRAIL(e, steps, runs, walkers, made) {
        volatile __global uint *mine = claim + (long)run * n + vertex_of(trail[e]);
        const uint at = (uint)(s + 1) * (uint)walkers + (uint)w;
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
        const uint at = (uint)(s + 1) * (uint)walkers + (uint)w;
        // only one entry has this number; the others see it, or 0
        if (SHARED_LOAD(claim + slot) == at) {
            SHARED_STORE(claim + slot, 0u);
            first[slot] = done[run] * (ulong)walkers + at;
            if (parent)
                parent[slot] = trail[e] < 0 ? -1 : s ? vertex_of(trail[e - runs * walkers]) : from[run * walkers + w];
            atomic_inc(&seen[run]);
        }
    }
}

// Visits, up to each run's cut; the edges walked up to there where `walked` is not NULL.
// Of exact lengths, visits after every thin-th step past burn_in count, and go into `parts` parts of the walk.
__kernel void walk_tally(const int n, const int runs, const int walkers, const int steps,
                         __global const int *restrict made, __global const ulong *restrict done,
                         __global const int *restrict status, __global const ulong *restrict cut, const ulong burn_in,
                         const ulong thin, const ulong parts, const ulong counted,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict trail,
                         __global const int *restrict place, __global const int *restrict from,
                         volatile __global int *restrict visits, volatile __global int *restrict walked)
{
    FOR_TRAIL(e, steps, runs, walkers, made) {
        const ulong t = done[run] + (ulong)(s + 1);
        const ulong at = t * (ulong)walkers + (ulong)w;
        if (!cut || status[run] != ENDING || at <= cut[run]) {
            if (t > burn_in) {
                // no %: LLVM merges it with the division into an instruction that Oclgrind does not know
                const ulong rank = thin == 1 ? t - burn_in - 1 : (t - burn_in - 1) / thin;
                if (rank * thin + thin == t - burn_in) {
                    const ulong batch = parts > 1 ? rank * parts / counted : 0;
                    atomic_inc(&visits[((long)batch * runs + run) * n + vertex_of(trail[e])]);
                }
            }
            if (walked && place[e] >= 0) {
                const int tail = s ? vertex_of(trail[e - runs * walkers]) : from[run * walkers + w];
                atomic_or(&walked[(long)run * row_ptr[n] + row_ptr[tail] + place[e]], 1);
            }
        }
    }
}

// A trail (or the starts, as one of one step) as columns from `first` on of int[walkers of all runs, columns]: a row for each
// walker. Where `ends`, a row is -1 from where no edge led on.
__kernel void walk_rows(const int every, const int steps, const int first, const int columns, const int ends,
                        __global const int *restrict trail, __global int *restrict rows)
{
    const int begin = (int)min((long)get_global_id(0) * ITEMS, (long)every);
    const int end = (int)min((long)begin + ITEMS, (long)every);
    for (int base = begin; base < end; base += TILE) {
        const int many = min(TILE, end - base);
        int over[TILE];
        for (int l = 0; l < many; l++)
            over[l] = ends && first > 0 && rows[((long)base + l) * columns + first - 1] < 0;
        for (int s = 0; s < steps; s++)
            for (int l = 0; l < many; l++) {
                const int entry = trail[(long)s * every + base + l];
                over[l] |= ends && entry < 0;
                rows[((long)base + l) * columns + first + s] = over[l] ? -1 : vertex_of(entry);
            }
    }
}
