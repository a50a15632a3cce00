// sampling/literature/walk.cl: random walks, one step kernel for all of them; walk_note.cl writes down where they have been.
//
// Walker i of a launch is walker w of run r, i = r * walkers + w; run r has the seed `seed` + r. Step t of a walker is
// decided by number(w, t; STEP) alone: word a picks the neighbour, word b is the coin. All decisions are integers.
//
// done, todo   ulong[runs], int[runs]: steps made so far, and steps to make in this launch
// pos, prev, home, from  int[runs * walkers]: where each walker is, the last different vertex (-1: none; cnrw: the arc by
//              which it came), its start, and where it was when the launch began
// trail        int[steps * runs * walkers], or NULL: the vertex after each step; ~vertex where no edge led there
// place        the same shape, or NULL: which arc of its row was walked; -1: none
// visits       int[parts * runs * n], or NULL: visits after every thin-th step past burn_in, `counted` of them in `parts`
// limit        ulong[arcs]: where an arc's share of its row ends, in 2^-62 (WEIGHTED), or in whole numbers (cnarw)
// entries      uint[runs * walkers * (arcs + n)]: how often each arc was entered (cnrw), NULL otherwise
// launch       padded range, a walker per work-item
// variants     METHOD: 0 rw, 1 rwr, 2 rj, 3 rwj, 4 mhrw, 5 mhrw with alpha < 1, 6 gmd, 7 nbrw, 8 mhda, 9 cnarw, 10 cnrw;
//              WEIGHTED

#include "keyed.h"
#include "sampling/literature/clock.h"
#include "sampling/literature/walk.h"

#ifndef MET
#define MET 1
#endif
#ifndef METHOD
#define METHOD 0
#endif
#ifndef WEIGHTED
#define WEIGHTED 0
#endif

// p: the probability of rwr and rj in 2^-64; rwj: alpha in 2^-16; alpha of mhrw in 2^-32; C of gmd
__kernel void walk_step(const int n, const int runs, const int walkers, const ulong seed, const ulong p,
                        __global const ulong *restrict table, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global const ulong *restrict limit,
                        __global uint *restrict entries, __global const ulong *restrict done,
                        __global const int *restrict todo, const ulong burn_in, const ulong thin, const ulong parts,
                        const ulong counted, __global const int *restrict home, __global int *restrict pos,
                        __global int *restrict prev, __global int *restrict from, __global int *restrict trail,
                        __global int *restrict place, volatile __global int *restrict visits)
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
        // the next visit that counts, its rank, its part of the walk, and the rank at which that part ends
        ulong rank = t > burn_in ? (t - burn_in) / thin : 0, next = visits ? burn_in + (rank + 1) * thin : 0;
        ulong part = rank * parts / counted, ends = ((part + 1) * counted + parts - 1) / parts;
        long met[MET];
        int many = 0;
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
#if METHOD == 9
                j = share_of(mul_hi(a, limit[begin + d - 1]), begin, d, limit);
#elif METHOD == 10
                const uint arc = last == -1 ? (uint)row_ptr[n] + (uint)v : (uint)last;
                const uint entry = entries[(long)i * ((long)row_ptr[n] + n) + arc]++;
                j = circulated(seed + run, arc, entry / (uint)d, TAG_STEP + 64 * (w + 1),
                               (int)(entry - entry / (uint)d * (uint)d), d);
#elif WEIGHTED
                j = share_of(a >> 2, begin, d, limit);
#else
                j = (int)mul_hi(a, (ulong)d);
#endif
#if METHOD == 7
                const int other = place_besides(last, a, begin, d, col_idx);
                if (other >= 0) j = other;
#endif
                u = col_idx[begin + j];
#if METHOD == 4 || METHOD == 8
                if (mul_hi(b, (ulong)degree(u, row_ptr)) >= (ulong)d) j = -1;
#elif METHOD == 5
                const int to = degree(u, row_ptr);
                if (to > d && !falls(b, lg((ulong)to, table) - lg((ulong)d, table), p, table)) j = -1;
#elif METHOD == 6
                if (mul_hi(b, max((ulong)d, p)) >= (ulong)d) j = -1;
#endif
#if METHOD == 8
                if (j >= 0 && u == last && d > 1) {
                    const philox4x32_ctr_t y = keyed_words(seed + run, w, (uint)t, ((uint)(t >> 32) << 4) + 1, TAG_STEP);
                    const int k = place_besides(u, keyed_a(y), begin, d, col_idx);
                    const long here = lg((ulong)d, table);
                    const long gap = max(0L, lg((ulong)degree(col_idx[begin + k], row_ptr), table) - here)
                                     - max(0L, lg((ulong)degree(u, row_ptr), table) - here);
                    if (gap <= 0 || falls(keyed_b(y), gap, 2UL << 32, table)) {
                        j = k;
                        u = col_idx[begin + k];
                    }
                }
#endif
                if (j < 0) u = v;
            }
            if (jump >= 0) u = jump;
            const long at = (long)s * all + i;
            if (trail) trail[at] = jump >= 0 ? ~u : u;
            if (place) place[at] = j;
            if (t == next) {
                if (rank == ends) ends = ((++part + 1) * counted + parts - 1) / parts;
                met[many++] = ((long)part * runs + run) * n + u;
                rank++;
                next += thin;
            }
            if (many == MET || (many && s == steps - 1))
                while (many) atomic_inc(&visits[met[--many]]);
#if METHOD == 10
            last = j < 0 ? -1 : (int)(begin + j);
#else
            if (u != v) last = v;
#endif
            v = u;
        }
        pos[i] = v;
        prev[i] = last;
    }
}
