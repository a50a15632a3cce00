// sampling/literature/walk.cl: random walks, one step kernel for all of them; walk_note.cl writes down where they have been.
//
// Walker i of a launch is walker w of run r, i = r * walkers + w; run r has the seed `seed` + r. Step t of a walker is
// decided by number(w, t; STEP) alone: word a picks the neighbour, word b is the coin. All decisions are integers.
//
// done, todo   ulong[runs], int[runs]: steps made so far, and steps to make in this launch
// pos, prev, home, from  int[runs * walkers]: where each walker is, the last different vertex (-1: none), its start, and
//              where it was when the launch began
// trail        int[steps * runs * walkers]: the vertex after each step; ~vertex where no edge led there
// place        the same shape, or NULL: which arc of its row was walked; -1: none
// limit        ulong[arcs]: where an arc's share of its row ends, in 2^-62 (WEIGHTED)
// launch       padded range, a walker per work-item
// variants     METHOD: 0 rw, 1 rwr, 2 rj, 3 rwj, 4 mhrw, 5 mhrw with alpha < 1, 6 gmd, 7 nbrw; WEIGHTED

#include "keyed.h"
#include "sampling/literature/clock.h"

#ifndef OFFSET
#define OFFSET int
#endif
#ifndef METHOD
#define METHOD 0
#endif
#ifndef WEIGHTED
#define WEIGHTED 0
#endif

// Number of the arc of a row that 64 random bits pick.
static inline int pick(ulong a, OFFSET begin, int d, __global const ulong *limit)
{
#if WEIGHTED
    int low = 0, high = d - 1;   // the last limit is 2^62, above all
    const ulong x = a >> 2;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (limit[begin + middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
#else
    return (int)mul_hi(a, (ulong)d);
#endif
}

// Place of the first entry of a row that is not below v.
static inline int place_of(int v, OFFSET begin, int d, __global const int *col_idx)
{
    int low = 0, high = d;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (col_idx[begin + middle] < v) low = middle + 1;
        else high = middle;
    }
    return low;
}

static inline int degree(int v, __global const OFFSET *row_ptr)
{
    return (int)(row_ptr[v + 1] - row_ptr[v]);
}

// p: the probability of rwr and rj in 2^-64; rwj: alpha in 2^-16; alpha of mhrw in 2^-32; C of gmd
__kernel void walk_step(const int n, const int runs, const int walkers, const ulong seed, const ulong p,
                        __global const ulong *restrict table, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global const ulong *restrict limit,
                        __global const ulong *restrict done, __global const int *restrict todo,
                        __global const int *restrict home, __global int *restrict pos, __global int *restrict prev,
                        __global int *restrict from, __global int *restrict trail, __global int *restrict place)
{
    const int all = runs * walkers;
    const int i = (int)min((long)get_global_id(0), (long)all);
    if (i < all) {
        const int run = i / walkers;
        const uint w = (uint)(i - run * walkers);
        const int steps = todo[run];
        int v = pos[i], last = prev[i];
        ulong t = done[run];
        from[i] = v;
        for (int s = 0; s < steps; s++) {
            t++;
            const philox4x32_ctr_t x = keyed_words(seed + run, w, (uint)t, (uint)(t >> 32) << 4, TAG_STEP);
            const ulong a = keyed_a(x), b = keyed_b(x);
            const OFFSET begin = row_ptr[v];
            const int d = (int)(row_ptr[v + 1] - begin);
            int u = v, j = -1, jump = -1;
            if (d == 0)
                jump = METHOD == 1 ? home[i] : (int)mul_hi(a, (ulong)n);
#if METHOD == 1
            else if (b < p)
                jump = home[i];
#elif METHOD == 2
            else if (b < p)
                jump = (int)mul_hi(a, (ulong)n);
#elif METHOD == 3
            else if (mul_hi(b, p + ((ulong)d << 16)) < p)
                jump = (int)mul_hi(a, (ulong)n);
#endif
            else {
                j = pick(a, begin, d, limit);
#if METHOD == 7
                const int back = last < 0 ? d : place_of(last, begin, d, col_idx);
                if (d > 1 && back < d && col_idx[begin + back] == last) {
                    j = (int)mul_hi(a, (ulong)(d - 1));
                    j += j >= back;
                }
#endif
                u = col_idx[begin + j];
#if METHOD == 4
                if (mul_hi(b, (ulong)degree(u, row_ptr)) >= (ulong)d) j = -1;
#elif METHOD == 5
                const int to = degree(u, row_ptr);
                if (to > d) {
                    const ulong gap = (ulong)((lg((ulong)to, table) - lg((ulong)d, table)) >> 16);
                    if (clock_of(b, table) < (gap * p) >> 16) j = -1;
                }
#elif METHOD == 6
                if (mul_hi(b, max((ulong)d, p)) >= (ulong)d) j = -1;
#endif
                if (j < 0) u = v;
            }
            if (jump >= 0) u = jump;
            const long at = (long)s * all + i;
            trail[at] = jump >= 0 ? ~u : u;
            if (place) place[at] = j;
            if (u != v) last = v;
            v = u;
        }
        pos[i] = v;
        prev[i] = last;
    }
}
