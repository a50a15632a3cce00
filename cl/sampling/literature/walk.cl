// sampling/literature/walk.cl: random walks, one step kernel for all of them; walk_note.cl writes down where they have been.
//
// Walker i of a launch is walker w of run r, i = r * walkers + w - first_walker; run r has the seed `seed` + r. Step t of a
// walker is decided by number(w, t; STEP) alone: word a picks the neighbour, word b is the coin. All decisions are integers.
//
// done, todo   ulong[runs], int[runs]: steps made so far, and steps to make in this launch
// pos, prev, home, from  int[runs * walkers]: where each walker is, the last different vertex (-1: none; cnrw: the arc by
//              which it came), its start, and where it was when the launch began
// trail        int[steps * runs * walkers], or NULL: the vertex after each step; ~vertex where no edge led there
// place        the same shape, or NULL: which arc of its row was walked; -1: none
// visits       int[parts * runs * n], or NULL: visits after every thin-th step past burn_in, `counted` of them in `parts`; only
//              where all runs have made the same number of steps
// limit        ulong[arcs]: where an arc's share of its row ends, in whole numbers (cnarw); NULL otherwise
// shares       ulong[2 * arcs]: limits, guides and heads of weighted rows (WEIGHTED), see guides.h; NULL otherwise
// entries      uint[runs * walkers * (arcs + n)]: how often each arc was entered (cnrw), NULL otherwise
// launch       padded range, ABREAST walkers per work-item, which take their steps in turn: on CPUs, many reads of memory are
//              under way then. AHEAD: for how many steps of each the numbers are made at once (vectors do it)
// tunables     ABREAST, AHEAD
// variants     METHOD: 0 rw, 1 rwr, 2 rj, 3 rwj, 4 mhrw, 5 mhrw with alpha < 1, 6 gmd, 7 nbrw, 8 mhda, 9 cnarw, 10 cnrw,
//              11 node2vec; WEIGHTED; SYMMETRIC (node2vec: every arc has its reverse)

#include "keyed.h"
#include "sampling/literature/clock.h"
#include "sampling/literature/guides.h"
#include "sampling/literature/walk.h"
#include "sampling/literature/node2vec.h"

#ifndef ABREAST
#define ABREAST 1
#endif
#ifndef AHEAD
#define AHEAD 1
#endif
#ifndef METHOD
#define METHOD 0
#endif
#ifndef WEIGHTED
#define WEIGHTED 0
#endif
#if WEIGHTED
#define ROW_SHARES (shares + 2 * (long)begin)
#define PICKED(a) guided((a) >> 2, d, ROW_SHARES)
#define HEAD(j) head_of(j, ROW_SHARES)
#else
#define ROW_SHARES NULL
#define PICKED(a) (int)mul_hi(a, (ulong)d)
#define HEAD(j) col_idx[begin + j]
#endif
#define EACH(l) for (int l = 0; l < ABREAST; l++)

// p: the probability of rwr and rj in 2^-64; rwj: alpha in 2^-16; alpha of mhrw in 2^-32; C of gmd. Of node2vec p, near
// and far are the largest coins by which a vertex is taken that is the one before, a neighbour of it, or neither.
__kernel void walk_step(const int n, const int runs, const int walkers, const uint first_walker, const ulong seed,
                        const ulong p, const ulong near, const ulong far,
                        __global const ulong *restrict table, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global const ulong *restrict limit,
                        __global const ulong *restrict shares,
                        __global uint *restrict entries, __global const ulong *restrict done,
                        __global const int *restrict todo, const ulong burn_in, const ulong thin, const ulong parts,
                        const ulong counted, __global const int *restrict home, __global int *restrict pos,
                        __global int *restrict prev, __global int *restrict from, __global int *restrict trail,
                        __global int *restrict place, volatile __global int *restrict visits)
{
    const int all = runs * walkers, first = (int)min((long)get_global_id(0) * ABREAST, (long)all);
    const int count = min(ABREAST, all - first);
#if METHOD == 11
    const Biases biases = {p, near, far};
#endif
    int vertex[ABREAST], previous[ABREAST], steps[ABREAST], degrees[ABREAST], most = 0;
    uint walker[ABREAST];
    OFFSET row[ABREAST];
    ulong key[ABREAST], before[ABREAST], number[ABREAST * AHEAD], coin[ABREAST * AHEAD];
    EACH(l) {
        const int there = l < count, i = there ? first + l : 0, run = i / walkers;
        walker[l] = first_walker + (uint)(i - run * walkers);
        key[l] = seed + run;
        before[l] = done[run];
        steps[l] = there ? todo[run] : 0;
        most = max(most, steps[l]);
        vertex[l] = there ? pos[i] : 0;
        previous[l] = there ? prev[i] : -1;
        if (there) from[i] = vertex[l];
    }
    // the next visit that counts, its rank, its part of the walk, and the rank at which that part ends
    const ulong begun = before[0];
    ulong rank = begun > burn_in ? (begun - burn_in) / thin : 0, next = visits ? burn_in + (rank + 1) * thin : 0;
    ulong part = rank * parts / counted, ends = ((part + 1) * counted + parts - 1) / parts;
    long met[ABREAST];   // visits of the step before, to be counted
    int many = 0;
    for (int s = 0; s < most; s++) {
        if (s % AHEAD == 0)
            for (int k = 0; k < ABREAST * AHEAD; k++) {
                const int l = k / AHEAD;
                const ulong t = before[l] + (ulong)(s + k % AHEAD + 1);
                const philox4x32_ctr_t x = keyed_words(key[l], walker[l], (uint)t, (uint)(t >> 32) << 4, TAG_STEP);
                number[k] = keyed_a(x);
                coin[k] = keyed_b(x);
            }
        EACH(l) {
            row[l] = row_ptr[vertex[l]];
            degrees[l] = (int)(row_ptr[vertex[l] + 1] - row[l]);
#if WEIGHTED
            PREFETCH(shares + 2 * (row[l] + (long)part_of(number[l * AHEAD + s % AHEAD] >> 2, degrees[l])));
#elif METHOD == 7   // where the search for the vertex before goes through
            PREFETCH(col_idx + row[l] + degrees[l] / 2);
            PREFETCH(col_idx + row[l] + degrees[l] / 4);
#endif
#if !WEIGHTED
            PREFETCH(col_idx + row[l] + mul_hi(number[l * AHEAD + s % AHEAD], (ulong)degrees[l]));
#endif
        }
#if WEIGHTED
        EACH(l)   // where the search for a share begins, and often ends
            if (degrees[l]) {
                __global const ulong *mine = shares + 2 * (long)row[l];
                PREFETCH(mine + 2 * (long)guide_of(part_of(number[l * AHEAD + s % AHEAD] >> 2, degrees[l]), mine));
            }
#endif
#if METHOD == 4 || METHOD == 5 || METHOD == 8
        EACH(l)   // whether it moves depends on the neighbour's degree
            if (degrees[l]) PREFETCH(row_ptr + col_idx[row[l] + mul_hi(number[l * AHEAD + s % AHEAD], (ulong)degrees[l])]);
#elif METHOD == 11
        EACH(l)   // whether it goes there may depend on what the rows of it and of the vertex before hold
            if (degrees[l] && previous[l] >= 0) {
                PREFETCH(row_ptr + col_idx[row[l] + mul_hi(number[l * AHEAD + s % AHEAD], (ulong)degrees[l])]);
                PREFETCH(row_ptr + previous[l]);
            }
#endif
        while (many) atomic_inc(&visits[met[--many]]);
        const int counts = begun + (ulong)(s + 1) == next;
        if (counts && rank == ends) ends = ((++part + 1) * counted + parts - 1) / parts;
        EACH(l) {
            if (s >= steps[l]) continue;
            const int i = first + l, v = vertex[l], last = previous[l], d = degrees[l];
            const OFFSET begin = row[l];
            const ulong a = number[l * AHEAD + s % AHEAD], b = coin[l * AHEAD + s % AHEAD];
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
                j = circulated(key[l], arc, entry / (uint)d, TAG_STEP + 64 * (walker[l] + 1),
                               (int)(entry - entry / (uint)d * (uint)d), d);
#else
                j = PICKED(a);
#endif
#if METHOD == 7
                const int other = place_besides(last, a, begin, d, col_idx);
                if (other >= 0) j = other;
#endif
#if METHOD == 11
                // the first step, and one after a jump, is by weight alone
                const ulong t = before[l] + (ulong)(s + 1);
                const uint most_attempts = attempts_of(d);
                ulong b_now = b;
                for (uint attempt = 1; last >= 0; attempt++) {
                    if (accepted(b_now, last, HEAD(j), biases, row_ptr, col_idx)) break;
                    const philox4x32_ctr_t y =
                        keyed_words(key[l], walker[l], (uint)t, (uint)(t >> 32) << 4, TAG_STEP + 64 * attempt);
                    if (attempt == most_attempts) {
                        j = biased_place(keyed_a(y), last, begin, d, ROW_SHARES, biases, row_ptr, col_idx);
                        break;
                    }
                    j = PICKED(keyed_a(y));
                    b_now = keyed_b(y);
                }
#endif
                u = HEAD(j);
#if METHOD == 4 || METHOD == 8
                if (mul_hi(b, (ulong)degree(u, row_ptr)) >= (ulong)d) j = -1;
#elif METHOD == 5
                const int to = degree(u, row_ptr);
                if (to > d && !falls(b, lg((ulong)to, table) - lg((ulong)d, table), p, table)) j = -1;
#elif METHOD == 6
                if (mul_hi(b, max((ulong)d, p)) >= (ulong)d) j = -1;
#endif
#if METHOD == 8
                // of parallel arcs one leads back, whichever it is: the first, which place_besides leaves out
                if (j >= 0 && u == last && d > 1 && (j == 0 || col_idx[begin + j - 1] != u)) {
                    const ulong t = before[l] + (ulong)(s + 1);
                    const philox4x32_ctr_t y =
                        keyed_words(key[l], walker[l], (uint)t, ((uint)(t >> 32) << 4) + 1, TAG_STEP);
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
            PREFETCH(row_ptr + u);
            PREFETCH(row_ptr + u + 1);   // often, but not always, the same line
            const long at = (long)s * all + i;
            if (trail) trail[at] = jump >= 0 ? ~u : u;
            if (place) place[at] = j;
            if (counts) {
                met[many] = ((long)part * runs + (long)(key[l] - seed)) * n + u;
                PREFETCH(visits + met[many]);
                many++;
            }
#if METHOD == 10
            previous[l] = j < 0 ? -1 : (int)(begin + j);
#elif METHOD == 11
            previous[l] = jump >= 0 ? -1 : v;
#else
            if (u != v) previous[l] = v;
#endif
            vertex[l] = u;
        }
        if (counts) {
            rank++;
            next += thin;
        }
    }
    while (many) atomic_inc(&visits[met[--many]]);
    EACH(l)
        if (l < count) {
            pos[first + l] = vertex[l];
            prev[first + l] = previous[l];
        }
}
