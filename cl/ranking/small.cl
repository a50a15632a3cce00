// ranking/small.cl: the plan of variant "auto" for small graphs: one work-group does many iterations in one launch.
//
// The contributions of the vertices that have out-arcs (they are numbered first) are in local memory, twice: old and
// new. The arcs are streamed from the caches. On a CPU one work-item does everything, and the contributions are in
// global memory, which its caches hold.
//
// If only the last iterate is needed (`silent`: tol=0), the rows of dangling vertices are summed in the last two
// iterations only. Until then only their total mass matters, which takes one product per source:
//     D' = rest_p + d (sum over sources u of contribution(u) to_rest(u) + D rest_q)
// with to_rest(u) the number of arcs from u to dangling vertices (the sum of their shares, if weighted), and rest_p,
// rest_q the parts of (1-d) p and q on them.
//
// layout      ranking/pagerank.h, ranking/sell.h (all sources are hot). Teams of WIDTH / PER work-items take a slice,
//             each work-item PER of its rows; turn int[]: the slices that each team takes, team t those from
//             turn_begin[t] to turn_begin[t + 1]: first all teams' pieces, then their rows of sources, then other rows
// launch      one work-group of LOCAL work-items
// tunables    PER (1 on GPUs, WIDTH on CPUs), LOCAL_SOURCES, LOCAL_PIECES: room in local memory for contributions and
//             for sums of pieces; without them both are in global memory

#include "ranking/pagerank.h"
#include "ranking/sell.h"

#ifndef PER
#define PER 1
#endif
#define TEAMS (LOCAL * PER / WIDTH)
#ifdef LOCAL_SOURCES
#define SPACE __local
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define SPACE __global
#define FENCE (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

#include "ranking/group.h"

#define LANES(l) _Pragma("unroll") for (int l = 0; l < PER; l++)
#define SUM_LANES(sum, s)                                                                                        \
    ACC sum[PER];                                                                                                \
    LANES(l) sum[l] = ACC_ZERO;                                                                                  \
    for (int e = hot_begin[s] * WIDTH + lane, end_ = hot_begin[s + 1] * WIDTH; e < end_; e += WIDTH)             \
        LANES(l) sum[l] = acc_add(sum[l], HOT_ARC(SPACE REAL, old, e + l));

// SUM_LANES reads the slices of pieces, or those of rows, from here on.
#define READ_SLICES(part)                                                                                        \
    __global const int *hot_begin = part##_begin;                                                                \
    __global const ushort *hot_index = part##_index;                                                             \
    __global const REAL *hot_share = part##_share

// Up to `turns` more iterations, at most `last` in all.
OF_GROUP
__kernel void pagerank_small(const int n, const int sources, const int silent, const int turns, const int last,
                             const WIDE threshold, const WIDE noise, const WIDE rest_p, const WIDE rest_q,
                             const WIDE damping, const WIDE even, const int norm, const int drop,
                             __global const int *restrict turn_begin, __global const int *restrict turn,
                             __global const int *restrict hot_piece_begin,
                             __global const ushort *restrict hot_piece_index,
                             __global const REAL *restrict hot_piece_share, __global const int *restrict piece_place,
                             __global const int *restrict hot_row_begin, __global const ushort *restrict hot_row_index,
                             __global const REAL *restrict hot_row_share, __global const int *restrict first_piece,
                             __global const REAL *restrict to_rest, __global const REAL *restrict inverse,
                             __global const REAL *restrict p, __global const REAL *restrict q,
                             __global REAL *rank, __global REAL *contribution, __global REAL *next,
                             __global ACC *piece_sum_, __global ACC *restrict sums, __global int *restrict state)
{
    GROUP_BOX;
    const int lid = get_local_id(0), team = lid * PER / WIDTH, lane = lid * PER & (WIDTH - 1);
#ifdef LOCAL_SOURCES
    __local REAL values[2][LOCAL_SOURCES + 1];
    __local ACC piece_sum[LOCAL_PIECES];
    SPACE REAL *old = values[0], *fresh = values[1];
    for (int i = lid; i <= sources; i += LOCAL)
        old[i] = contribution[i];
    if (lid == 0) fresh[0] = 0;
#else
    __global ACC *piece_sum = piece_sum_;
    SPACE REAL *old = contribution, *fresh = next;
#endif
    ACC mass = sums[0], moved = sums[1], other = sums[2], least = sums[3];
    int done = state[ITERATIONS], met = state[CONVERGED], stale = state[STALE], stuck = 0;
    const int until = min(last - done, turns) + done;
    TOGETHER_ALL;   // sums and state are written at the end
    while (done < until && !met && !stuck) {   // the same for all work-items
        const int quiet = silent && done + 2 < last;   // the last iterate is compared with the one before
        {
            READ_SLICES(hot_piece);
            for (int t = turn_begin[team]; t < turn_begin[team + 1]; t++) {
                const int s = turn[t];
                SUM_LANES(sum, s)
                LANES(l) {
                    const int to = piece_place[s * WIDTH + lane + l];
                    if (to >= 0) piece_sum[to] = sum[l];
                }
            }
        }
        TOGETHER;
        ACC dangling_mass = ACC_ZERO;
        const WIDE flow = damping * ACC_VALUE(mass);
        moved = other = ACC_ZERO;
        for (int part = 1; part < 3 - quiet; part++) {
            READ_SLICES(hot_row);
            for (int t = turn_begin[part * TEAMS + team]; t < turn_begin[part * TEAMS + team + 1]; t++) {
                const int s = turn[t];
                SUM_LANES(sum, s)
                ACC whole[PER];
                LANES(l) whole[l] = sum[l];
                const int first = s * WIDTH + lane, lanes = min(PER, (quiet ? sources : n) - first);
                for (int l = 0; l < lanes; l++) {
                    const int v = first + l;
                    ACC row = whole[l];
                    for (int k = first_piece[v]; k < first_piece[v + 1]; k++)
                        row = acc_join(row, piece_sum[k]);
                    const WIDE to = p ? (WIDE)p[v] : even, back = q ? (WIDE)q[v] : even;
                    const REAL now = (REAL)((1 - damping) * to + (damping * ACC_VALUE(row) + flow * back));
                    const REAL inv = inverse[v];
                    if (v < sources) fresh[v + 1] = now * inv;
                    if (quiet) {
                        dangling_mass = acc_add(dangling_mass, damping * (WIDE)old[v + 1] * (WIDE)to_rest[v]);
                    } else {
                        const WIDE change = (WIDE)now - (WIDE)rank[v], size = change < 0 ? -change : change;
                        moved = acc_add(moved, size);
                        other = norm_add(norm, other, size);
                        rank[v] = now;
                    }
                    dangling_mass = acc_add(dangling_mass, inv == 0 ? now : 0);
                }
            }
        }
        GROUP_SUM(dangling_mass, acc_join);
        const WIDE from_rest = quiet ? rest_p + flow * rest_q : 0;
        const ACC none = ACC_ZERO;
        mass = drop ? none : acc_add(dangling_mass, from_rest);
        done++;
        if (!quiet) {
            GROUP_SUM(moved, acc_join);
            GROUP_SUM(other, norm_join);
            const WIDE residual = residual_of(norm, moved, other);
            other = acc_add(ACC_ZERO, residual);
            met = residual < threshold;
            stale = residual < ACC_VALUE(least) ? 0 : stale + 1;
            if (stale == 0) least = other;
            stuck = is_stuck(ACC_VALUE(moved), noise, stale);
        }
        SPACE REAL *swap = old;
        old = fresh;
        fresh = swap;
    }
#ifdef LOCAL_SOURCES
    for (int i = lid; i <= sources; i += LOCAL)
        contribution[i] = old[i];
#endif
    if (lid == 0) {
        sums[0] = mass;
        sums[1] = moved;
        sums[2] = other;
        sums[3] = least;
        state[ITERATIONS] = done;
        state[CONVERGED] = met;
        state[STALE] = stale;
        state[STOPPED] = met || stuck || done >= last;
    }
}
