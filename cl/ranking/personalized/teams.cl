// ranking/personalized/teams.cl: an iteration of the power method for LANES sources at once, on GPUs: a team of
// LANES / 4 adjacent work-items takes a row, four lanes each.
//
// Gathers dominate the cost: a row of 32 lanes of float is a line of 128 bytes, which a team reads in one access, and
// each work-item has four of them in flight. Sums stay in a work-item's registers, so nothing crosses lanes.
//
// Rows are dealt round robin by decreasing length: the teams of a warp have about the same number of arcs, all groups
// the same number of long rows, and rows without arcs come last. The sums of rows of more than PIECE arcs are made
// beforehand, in pieces (ppr_pieces), and added up here.
//
// layout      ranking/personalized/lanes.h; order int[n]: the row at each position; the first `long_rows` positions
//             have pieces: first_piece int[long_rows + 1], piece_begin and piece_end OFFSET[pieces], piece_sum
//             ACC[pieces * LANES]; positions from `filled` on have no arcs
// launch      teams: groups of LOCAL, any number, which take the positions round robin; pieces: LANES / 4 work-items
//             per piece, groups of LOCAL
// tunables    LOCAL (a power of two, a multiple of LANES / 4)

#include "ranking/personalized/lanes.h"

#define SPAN 4
#define TEAM (LANES / SPAN)
typedef PASTE(REAL, 4) Quad;   // only loaded and stored: four lanes in one access
#define QUAD(array, v, part) ((array)[(size_t)(v) * TEAM + (part)])
#ifdef CHECK_RACES   // Oclgrind mishandles vectors that are built from scalars
#define PUT_QUAD(array, v, part, x) \
    EACH_OF_SPAN(c_) (array)[PLACE(v, (part) * SPAN + c_)] = (x)[c_]
#else
#define PUT_QUAD(array, v, part, x) \
    QUAD((__global Quad *)(array), v, part) = (Quad)((x)[0], (x)[1], (x)[2], (x)[3])
#endif
#define EACH_OF_SPAN(c) _Pragma("unroll") for (int c = 0; c < SPAN; c++)

#ifdef WEIGHTED
#define SHARE(e) ((WIDE)share[e])
#define SCALED(x, e) ((WIDE)(x) * SHARE(e))
#else
#define SCALED(x, e) ((WIDE)(x))
#endif

// Add the contribution of arc e in four lanes.
#define ADD_QUAD(sum, quad, e)                             \
    do {                                                   \
        sum[0] = acc_add(sum[0], SCALED((quad).s0, e));    \
        sum[1] = acc_add(sum[1], SCALED((quad).s1, e));    \
        sum[2] = acc_add(sum[2], SCALED((quad).s2, e));    \
        sum[3] = acc_add(sum[3], SCALED((quad).s3, e));    \
    } while (0)

#define ADD_ARCS(sum, begin, end, part)                                                                             \
    do {                                                                                                            \
        OFFSET e_ = (begin);                                                                                        \
        const OFFSET end_ = (end);                                                                                  \
        for (; e_ + 4 <= end_; e_ += 4) {   /* four lines in flight */                                               \
            const int a_ = col_idx[e_], b_ = col_idx[e_ + 1], c_ = col_idx[e_ + 2], d_ = col_idx[e_ + 3];           \
            const Quad from_a_ = QUAD(quads, a_, part), from_b_ = QUAD(quads, b_, part);                            \
            const Quad from_c_ = QUAD(quads, c_, part), from_d_ = QUAD(quads, d_, part);                            \
            ADD_QUAD(sum, from_a_, e_);                                                                             \
            ADD_QUAD(sum, from_b_, e_ + 1);                                                                         \
            ADD_QUAD(sum, from_c_, e_ + 2);                                                                         \
            ADD_QUAD(sum, from_d_, e_ + 3);                                                                         \
        }                                                                                                           \
        for (; e_ < end_; e_++) {                                                                                   \
            const Quad from_ = QUAD(quads, col_idx[e_], part);                                                      \
            ADD_QUAD(sum, from_, e_);                                                                               \
        }                                                                                                           \
    } while (0)

#define ARC_ARGS __global const int *restrict col_idx, __global const REAL *restrict share

__kernel void ppr_pieces(const int pieces, __global const OFFSET *restrict piece_begin,
                         __global const OFFSET *restrict piece_end, ARC_ARGS, __global const REAL *restrict value,
                         __global const int *restrict state, __global ACC *restrict piece_sum)
{
    __global const Quad *quads = (__global const Quad *)value;
    const int k = get_global_id(0) / TEAM, part = (int)get_global_id(0) - k * TEAM;
    if (k >= pieces) return;
    int runs = 0;
    EACH_OF_SPAN(c) runs |= RUNS_ON(part * SPAN + c);
    if (!runs) return;
    ACC sum[SPAN];
    EACH_OF_SPAN(c) sum[c] = ACC_ZERO;
    ADD_ARCS(sum, piece_begin[k], piece_end[k], part);
    EACH_OF_SPAN(c) piece_sum[(size_t)k * LANES + part * SPAN + c] = sum[c];
}

// The group's sums of one kind, by a tree of fixed shape, to part[lane]. At kernel level, by all work-items.
#define TALLY_LANES(tally, join, into)                                                                              \
    do {                                                                                                            \
        EACH_OF_SPAN(c) box[lid * SPAN + c] = (tally)[c];                                                           \
        for (int half_ = LOCAL / 2; half_ >= TEAM; half_ /= 2) {                                                    \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                           \
            if (lid < half_) {                                                                                      \
                EACH_OF_SPAN(c)                                                                                     \
                    box[lid * SPAN + c] = join(box[lid * SPAN + c], box[(lid + half_) * SPAN + c]);                 \
            }                                                                                                       \
        }                                                                                                           \
        if (lid < TEAM) {   /* its own words */                                                                     \
            EACH_OF_SPAN(c) (into)[lid * SPAN + c] = box[lid * SPAN + c];                                           \
        }                                                                                                           \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                               \
    } while (0)

__kernel void ppr_teams(const int n, const int test, const int last, __global const int *restrict order,
                        const int long_rows, const int filled, __global const int *restrict first_piece,
                        __global const ACC *restrict piece_sum, __global const OFFSET *restrict row_ptr, ARC_ARGS,
                        __global ACC *restrict parts, __global const int *restrict state, PPR_VERTEX_ARGS)
{
    __local ACC box[LOCAL * SPAN];
    __global const Quad *quads = (__global const Quad *)value;
    const int lid = get_local_id(0), team = lid / TEAM, part = lid - team * TEAM;
    int runs[SPAN], any = 0, all = 1, look = test;
    WIDE flow[SPAN];
    ACC dangling_mass[SPAN], moved[SPAN], other[SPAN];
    EACH_OF_SPAN(c) {
        const int l = part * SPAN + c;
        runs[c] = RUNS_ON(l);
        any |= runs[c];
        all &= runs[c];
        look |= runs[c] && STATE(ITERATIONS, l) + 1 >= last;
        flow[c] = damping * ACC_VALUE(sums[l]);
        dangling_mass[c] = moved[c] = other[c] = ACC_ZERO;
    }
    const int compare = look || !all;
    for (long at = get_global_id(0) / TEAM; at < n; at += get_global_size(0) / TEAM) {
        const int place = (int)at, v = order[place];
        ACC row[SPAN];
        EACH_OF_SPAN(c) row[c] = ACC_ZERO;
        if (any && place < filled) {
            if (place < long_rows) {
                for (int k = first_piece[place]; k < first_piece[place + 1]; k++)
                    EACH_OF_SPAN(c) row[c] = acc_join(row[c], piece_sum[(size_t)k * LANES + part * SPAN + c]);
            } else {
                ADD_ARCS(row, row_ptr[v], row_ptr[v + 1], part);
            }
        }
        const REAL width = scale[v], up = width == 0 ? (REAL)1 : width, down = 1 / up;
        REAL fresh[SPAN];
        EACH_OF_SPAN(c)
            fresh[c] = (REAL)NEW_RANK(v, part * SPAN + c, ACC_VALUE(row[c]), flow[c]) * down;
        if (compare) {
            const Quad before = QUAD(quads, v, part);
            const REAL old[SPAN] = {before.s0, before.s1, before.s2, before.s3};
            EACH_OF_SPAN(c) {
                const WIDE gap = ((WIDE)fresh[c] - (WIDE)old[c]) * up, size = gap < 0 ? -gap : gap;
                if (!runs[c]) fresh[c] = old[c];
                moved[c] = acc_add(moved[c], size);
                other[c] = norm_add(norm, other[c], size);
            }
        }
        PUT_QUAD(next, v, part, fresh);
        if (width == 0) {
            EACH_OF_SPAN(c) dangling_mass[c] = acc_add(dangling_mass[c], fresh[c]);
        }
    }
    __global ACC *into = parts + (size_t)get_group_id(0) * 3 * LANES;
    TALLY_LANES(dangling_mass, acc_join, into);
    TALLY_LANES(moved, acc_join, into + LANES);
    TALLY_LANES(other, norm_join, into + 2 * LANES);
}
