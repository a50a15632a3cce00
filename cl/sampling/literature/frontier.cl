// sampling/literature/frontier.cl: frontier sampling (Ribeiro, Towsley 2010): of several walkers one moves at a time, chosen
// in proportion to the degree of where it is.
//
// Each walker waits by itself, clock(b) / d(v) before each move; the moves in order of (time, walker) have that law. A run
// is a chain: a work-item takes the next mover from a heap.
//
// time    ulong[runs * walkers]: when each walker moves next; heap int[runs * walkers]: walkers, the next mover first
// step    uint[runs * walkers]: moves of each walker so far; pos: where it is
// moves, leg_moves  ulong[runs]: of all walkers, and of this leg
// first   ulong[runs * n]: rank of arrival; NONE: not seen
// status  int[runs]: RUNNING, LEG (a new leg is wanted), OVER; counts int[2]: runs that go on, that want a leg
// launch  a run per work-item, `most` moves each at most: so that no driver's watchdog ends it

#include "keyed.h"
#include "sampling/literature/clock.h"

#define RUNNING 0
#define LEG 1
#define OVER 2

// no restrict on parameters of functions: Oclgrind does not know what LLVM makes of it

#define HEAP __global int *heap, __global const ulong *time
#define SLOTS heap
#define BEFORE(a, b) (time[a] < time[b] || (time[a] == time[b] && (a) < (b)))
#include "sampling/literature/heap.h"

// How long walker w waits before its next move, from a vertex of degree d.
static inline ulong wait_of(ulong seed, int w, uint step, ulong d, __global const ulong *table)
{
    return clock_of(keyed_b(keyed_words(seed, w, step, 0, TAG_STEP)), table) / max(d, 1UL);
}

__kernel void frontier_move(const int n, const int runs, const int walkers, const ulong seed, const int most,
                            const ulong total, const ulong burn_in, const ulong thin, const ulong batches,
                            const ulong counted, const ulong patience, __global const ulong *restrict table,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const int *restrict target, __global ulong *restrict time, __global int *restrict heap,
                            __global uint *restrict step, __global int *restrict pos, __global ulong *restrict moves,
                            __global ulong *restrict leg_moves, __global int *restrict seen,
                            __global const int *restrict leg_seen, __global ulong *restrict first,
                            __global int *restrict visits, __global int *restrict parent, __global int *restrict walked,
                            __global int *restrict status, volatile __global int *restrict counts)
{
    FOR_ITEMS(run, runs) {
        __global int *mine = heap + (long)run * walkers, *at = pos + (long)run * walkers;
        __global ulong *when = time + (long)run * walkers;
        __global uint *steps = step + (long)run * walkers;
        ulong made = moves[run], leg = leg_moves[run];
        int many = seen[run], now = status[run];
        for (int i = 0; i < most && now == RUNNING; i++) {
            const int w = mine[0], v = at[w];
            const ulong a = keyed_a(keyed_words(seed + run, w, ++steps[w], 0, TAG_STEP));
            const OFFSET begin = row_ptr[v];
            const ulong d = (ulong)(row_ptr[v + 1] - begin);
            const int j = d ? (int)mul_hi(a, d) : -1, u = d ? col_idx[begin + j] : (int)mul_hi(a, (ulong)n);
            const long slot = (long)run * n + u;
            at[w] = u;
            when[w] += wait_of(seed + run, w, steps[w] + 1, (ulong)(row_ptr[u + 1] - row_ptr[u]), table);
            heap_sink(mine[0], 0, walkers, mine, when);
            made++;
            leg++;
            if (made > burn_in) {
                // no %: LLVM merges it with the division into an instruction that Oclgrind does not know
                const ulong rank = (made - burn_in - 1) / thin;
                if (rank * thin + thin == made - burn_in)
                    visits[(batches > 1 ? (long)(rank * batches / counted) * n : 0) + slot]++;
            }
            if (walked && j >= 0) walked[(long)run * row_ptr[n] + begin + j] = 1;
            if (first[slot] == NONE) {
                first[slot] = (ulong)many++;
                if (parent) parent[slot] = j < 0 ? -1 : v;
            }
            if (many >= target[run] || made >= total) now = OVER;
            else if (leg - leg / (64 * (ulong)walkers) * (64 * (ulong)walkers) == 0
                     && leg > patience * (ulong)(many - leg_seen[run])) now = LEG;
        }
        moves[run] = made;
        leg_moves[run] = leg;
        seen[run] = many;
        if (status[run] == RUNNING && now != OVER) atomic_inc(&counts[now]);
        status[run] = now;
    }
}

// Starts of the runs that want a leg: given ones in the beginning, else the first unseen of the queue; in turn where they
// are fewer than the walkers. short_of: how many runs wait for more of the queue.
__kernel void frontier_begin(const int n, const int runs, const int walkers, const ulong seed, const int given,
                             __global const int *restrict starts, const int room, __global const int *restrict queue,
                             __global const int *restrict length, __global int *restrict next,
                             __global const ulong *restrict table, __global const OFFSET *restrict row_ptr,
                             __global const int *restrict target, __global ulong *restrict time,
                             __global int *restrict heap, __global const uint *restrict step, __global int *restrict pos,
                             __global ulong *restrict leg_moves, __global int *restrict seen,
                             __global int *restrict leg_seen, __global ulong *restrict first,
                             __global int *restrict parent, __global int *restrict status,
                             volatile __global int *restrict short_of, volatile __global int *restrict counts)
{
    FOR_ITEMS(run, runs) {
        if (status[run] == LEG) {
            __global int *at = pos + (long)run * walkers, *mine = heap + (long)run * walkers;
            int set = 0, q = next[run];
            const int listed = given > 0 && seen[run] == 0, end = max(length[run], 0);
            if (listed)
                for (; set < walkers; set++)
                    at[set] = starts[set < given ? set : set - set / given * given];
            while (q < end && set < walkers) {
                const int v = queue[(long)run * room + q++];
                if (first[(long)run * n + v] == NONE) at[set++] = v;
            }
            if (set == walkers || (set > 0 && length[run] >= 0 && length[run] < room)) {
                const int before = seen[run];
                next[run] = listed ? next[run] : q;
                for (int w = set; w < walkers; w++)
                    at[w] = at[w - w / set * set];
                int many = before;
                for (int w = 0; w < walkers; w++) {
                    const int v = at[w];
                    if (first[(long)run * n + v] == NONE) {
                        first[(long)run * n + v] = (ulong)many++;
                        if (parent) parent[(long)run * n + v] = -1;
                    }
                    time[(long)run * walkers + w] = wait_of(seed + run, w, step[(long)run * walkers + w] + 1,
                                                            (ulong)(row_ptr[v + 1] - row_ptr[v]), table);
                    mine[w] = w;
                }
                for (int w = walkers / 2; w >= 0; w--)
                    heap_sink(mine[w], w, walkers, mine, time + (long)run * walkers);
                leg_seen[run] = before;
                leg_moves[run] = 0;
                seen[run] = many;
                status[run] = many >= target[run] ? OVER : RUNNING;
                if (status[run] == RUNNING) atomic_inc(&counts[0]);
            }
            else atomic_inc(short_of);
        }
    }
}
