// sampling/literature/walk.cl (pipelines): random walks (layout and method: cl/sampling/literature/walk.cl), METHOD 0 to 7 and 9;
// rows are weighted where `limit` is not NULL. The others look at a second row, or count, and run as ranges.
//
// A step waits for dependent reads (a row's bounds, a head, the head's own bounds), and a walk's next step for all of them.
// So WALKS walkers are in flight, one turn of one of them per cycle: a walker's next turn comes when its reads have
// arrived (ivdep safelen(WALKS) on the lanes' state). A turn is a whole step, but in rows that are searched by bisection
// (shares of weights; the vertex before, by nbrw), where it is one halving or, at last, the move: log2(degree) turns more.
// Each lane counts its own steps, and is found to be through by its next turn, so that what a turn reads affects neither the
// turn after it nor when the loop ends. A group of WALKS walkers is done before the next begins; a lane whose walker has made
// its steps, or that has none, is idle.
//
// per cycle   one turn of one walker: a Philox block, two reads of bounds or one of a limit, and one of a head (METHOD 4 and 5:
//             two more; 7: one more), and one more visit to count: a read and a write of memory, with what was written lately
//             in registers
// bound by    random reads: three to five and a write per step, and one for each halving

#define TABLE __local const ulong *

#include "fpga/pipeline.h"
#include "keyed.h"
#include "sampling/literature/clock.h"
#include "sampling/literature/walk.h"

#ifndef METHOD
#define METHOD 0
#endif

// The counters written in the last HAZARD iterations, newest last (as recent.h, for places beyond 2^31).
typedef struct {
    long place[HAZARD];
    int value[HAZARD];
} Counted;

#define IN_LANES(state) PRAGMA(ivdep array(state) safelen(WALKS))
#define FRESH -1   // `high` of a walker whose next turn begins a step

PIPELINE void walk_step(const int n, const int runs, const int walkers, const uint first_walker, const ulong seed,
                        const ulong p, const ulong near, const ulong far,
                        __global const ulong *restrict table, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global const ulong *restrict limit,
                        __global const ulong *restrict shares, __global uint *restrict entries,
                        __global const ulong *restrict done,
                        __global const int *restrict todo, const ulong burn_in, const ulong thin, const ulong parts,
                        const ulong counted, __global const int *restrict home, __global int *restrict pos,
                        __global int *restrict prev, __global int *restrict from, __global int *restrict trail,
                        __global int *restrict place, __global int *restrict visits)
{
    __local ulong here[512];
    FOR_EACH(i, 512)
        here[i] = table[i];
    const long all = (long)runs * walkers;
    int vertex[WALKS], last[WALKS], start[WALKS], steps[WALKS], made[WALKS], run[WALKS];
    OFFSET row[WALKS];                                    // of a step that has begun: its row,
    int degrees[WALKS], low[WALKS], high[WALKS];          // and where in it the search has come to
    ulong wanted[WALKS];
    uint walker[WALKS];
    ulong before[WALKS], rank[WALKS], next[WALKS], part[WALKS], ends[WALKS];
    Counted recent;
    #pragma unroll
    for (int k = 0; k < HAZARD; k++) {
        recent.place[k] = -1;
        recent.value[k] = 0;
    }
    for (long base = 0; base < all; base += WALKS) {
        FOR_EACH(l, WALKS) {
            const long i = base + l;
            const int r = i < all ? (int)(i / walkers) : 0;
            run[l] = r;
            walker[l] = first_walker + (uint)(i - (long)r * walkers);
            steps[l] = i < all ? todo[r] : 0;
            made[l] = 0;
            high[l] = FRESH;
            before[l] = done[r];
            vertex[l] = i < all ? pos[i] : 0;
            last[l] = i < all ? prev[i] : -1;
            start[l] = i < all ? home[i] : 0;
            if (i < all) from[i] = vertex[l];
            rank[l] = before[l] > burn_in ? (before[l] - burn_in) / thin : 0;
            next[l] = visits ? burn_in + (rank[l] + 1) * thin : 0;
            part[l] = rank[l] * parts / counted;
            ends[l] = ((part[l] + 1) * counted + parts - 1) / parts;
        }
        int lane = 0, through = 0;
        IN_LANES(vertex) IN_LANES(last) IN_LANES(made) IN_LANES(row) IN_LANES(degrees) IN_LANES(low) IN_LANES(high)
        IN_LANES(wanted) IN_LANES(rank) IN_LANES(next) IN_LANES(part) IN_LANES(ends)
        PRAGMA(ivdep array(visits) safelen(HAZARD))
        while (through < WALKS) {
            long seen = -1;
            int times = 0;
            const int s = made[lane];
            if (s >= steps[lane]) {
                through += s == steps[lane];
                made[lane] = steps[lane] + 1;
            } else {
                const int v = vertex[lane], came = last[lane];
                const ulong t = before[lane] + (ulong)s + 1;
                const philox4x32_ctr_t x =
                    keyed_words(seed + run[lane], walker[lane], (uint)t, (uint)(t >> 32) << 4, TAG_STEP);
                const ulong a = keyed_a(x), b = keyed_b(x);
                OFFSET begin = row[lane];
                int d = degrees[lane], from_low = low[lane], from_high = high[lane];
                ulong share = wanted[lane];
                if (from_high == FRESH) {
                    begin = row_ptr[v];
                    d = (int)(row_ptr[v + 1] - begin);
                    share = METHOD == 9 && d > 0 ? mul_hi(a, limit[begin + d - 1]) : a >> 2;
                    from_low = METHOD == 7 && (came < 0 || d < 2) ? d : 0;
                    from_high = METHOD == 7 ? d : limit ? d - 1 : 0;
                }
                int u = v, j = -1, jump = -1, halved = 0;
                const int anywhere = (int)mul_hi(a, (ulong)n);
                if (d == 0)
                    jump = METHOD == 1 ? start[lane] : anywhere;
                else if ((METHOD == 1 || METHOD == 2) && b < p)
                    jump = METHOD == 1 ? start[lane] : anywhere;
                else if (METHOD == 3 && mul_hi(b, p + ((ulong)d << 16)) < p)
                    jump = anywhere;
                else if (from_low < from_high) {
                    const int middle = from_low + (from_high - from_low) / 2;
                    const int above = METHOD == 7 ? col_idx[begin + middle] < came : limit[begin + middle] <= share;
                    low[lane] = above ? middle + 1 : from_low;
                    high[lane] = above ? from_high : middle;
                    row[lane] = begin;
                    degrees[lane] = d;
                    wanted[lane] = share;
                    halved = 1;
                } else {
                    if (METHOD == 7) {
                        const int there = from_low < d && col_idx[begin + from_low] == came;
                        j = (int)mul_hi(a, (ulong)(d - there));
                        j += there && j >= from_low;
                    } else
                        j = limit ? from_low : (int)mul_hi(a, (ulong)d);
                    u = col_idx[begin + j];
                    if (METHOD == 4 && mul_hi(b, (ulong)degree(u, row_ptr)) >= (ulong)d) j = -1;
                    if (METHOD == 5) {
                        const int to = degree(u, row_ptr);
                        if (to > d && !falls(b, lg((ulong)to, here) - lg((ulong)d, here), p, here)) j = -1;
                    }
                    if (METHOD == 6 && mul_hi(b, max((ulong)d, p)) >= (ulong)d) j = -1;
                    if (j < 0) u = v;
                }
                if (!halved) {
                    if (jump >= 0) u = jump;
                    const long at = (long)s * all + base + lane;
                    if (trail) trail[at] = jump >= 0 ? ~u : u;
                    if (place) place[at] = j;
                    if (t == next[lane]) {
                        if (rank[lane] == ends[lane]) {
                            part[lane]++;
                            ends[lane] = ((part[lane] + 1) * counted + parts - 1) / parts;
                        }
                        seen = ((long)part[lane] * runs + run[lane]) * n + u;
                        rank[lane]++;
                        next[lane] += thin;
                    }
                    if (u != v) last[lane] = v;
                    vertex[lane] = u;
                    made[lane] = s + 1;
                    high[lane] = FRESH;
                }
            }
            if (seen >= 0) {
                times = visits[seen];
                #pragma unroll
                for (int k = 0; k < HAZARD; k++)
                    if (recent.place[k] == seen) times = recent.value[k];
                visits[seen] = ++times;
            }
            #pragma unroll
            for (int k = 0; k + 1 < HAZARD; k++) {
                recent.place[k] = recent.place[k + 1];
                recent.value[k] = recent.value[k + 1];
            }
            recent.place[HAZARD - 1] = seen;
            recent.value[HAZARD - 1] = times;
            lane = lane + 1 == WALKS ? 0 : lane + 1;
        }
        FOR_EACH(l, WALKS)
            if (base + l < all) {
                pos[base + l] = vertex[l];
                prev[base + l] = last[l];
            }
    }
}
