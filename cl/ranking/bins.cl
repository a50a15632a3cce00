// ranking/bins.cl: the plan of variant "auto" on GPUs: a warp's worth of work-items takes a slice, one row per lane.
//
// Arcs from the hottest sources are gathered from a copy of their values in local memory: 12 000 sources of an RMAT
// graph account for a third of its arcs, and local memory gathers ten times faster than L2. The rest come through L1
// and L2. All rows of a slice are about equally long, and none is longer than LONG_ROW: long ones are cut into pieces
// (pagerank_bin_pieces; a piece has arcs from one segment of HOT sources, which its work-group holds, or from none),
// whose sums are added up row by row (pagerank_bins), those of a row of more than JOINED by a work-group before
// (pagerank_bin_hubs).
//
// layout      ranking/pagerank.h, ranking/sell.h; HOT + 1 values, or ROOM of pieces, fit in local memory; for pieces,
//             group g takes the slices from bound[3 g] to bound[3 g + 1], whose arcs come from the sources
//             bound[3 g + 2] (the number of the first one; -1: cold ones); group 0 has none
// launch      as many work-groups of LOCAL as the device runs at a time; each loops over slices, adjacent slices going
//             to different groups, so that long and short ones spread evenly
// tunables    WIDTH 32 (lanes that run in lockstep), HOT, LOCAL, UNROLL, PIECE_UNROLL, JOIN_UNROLL, JOINED; ENDING:
//             work-items that end an iteration

#include "ranking/pagerank.h"
#include "ranking/sell.h"
#include "ranking/group.h"

// R-MAT 22, H200: rows take 152 us with 8 and 157 with 16, pieces 92.3 and 91.4
#ifndef UNROLL
#define UNROLL 8
#endif
#ifndef PIECE_UNROLL
#define PIECE_UNROLL 16
#endif
// pieces of a row whose sums are fetched together. R-MAT 22, H200: with 4, rows take 6 us longer
#ifndef JOIN_UNROLL
#define JOIN_UNROLL 8
#endif
// `joined` of the layout: a work-item adds up 512 pieces in 18 us, and no row of R-MAT 22 has as many
#ifndef JOINED
#define JOINED 512
#endif
#ifndef HOT
#define HOT 1024
#endif
#ifndef ENDING
#define ENDING 1
#endif
// of pieces: the hot values, or in the first work-group the tallies of ENDING work-items, behind the zero that padding
// reads, and aligned
#define END_ROOM ((16 + ENDING * (int)sizeof(Tally)) / (int)sizeof(REAL))
#define ROOM (HOT + 1 > END_ROOM ? HOT + 1 : END_ROOM)

// The values of up to HOT sources from number `from` on.
#define TAKE_HOT(from)                                                                                                 \
    for (int i = get_local_id(0); i < HOT && (from) + i < n; i += LOCAL) values[i + 1] = contribution[(from) + i + 1]; \
    if (get_local_id(0) == 0) values[0] = 0;                                                                           \
    barrier(CLK_LOCAL_MEM_FENCE)

// A lane's row: `unroll` arcs at a time, so that their values are fetched together; the rest likewise, with zeros.
#define ARCS_OF(sum, from, to, arc, unroll)                                                                 \
    do {                                                                                                    \
        OFFSET e = (OFFSET)(from) * WIDTH + lane;                                                           \
        const OFFSET stop_ = (OFFSET)(to) * WIDTH;                                                          \
        for (; e + ((unroll) - 1) * WIDTH < stop_; e += (unroll) * WIDTH) {                                 \
            WIDE value_[unroll];                                                                            \
            _Pragma("unroll") for (int i = 0; i < (unroll); i++) value_[i] = arc(e + i * WIDTH);            \
            _Pragma("unroll") for (int i = 0; i < (unroll); i++) sum = acc_add(sum, value_[i]);             \
        }                                                                                                   \
        if (e < stop_) {                                                                                    \
            WIDE value_[unroll];                                                                            \
            _Pragma("unroll") for (int i = 0; i < (unroll); i++)                                            \
                value_[i] = e + i * WIDTH < stop_ ? arc(e + i * WIDTH) : 0;                                 \
            _Pragma("unroll") for (int i = 0; i < (unroll); i++) sum = acc_add(sum, value_[i]);             \
        }                                                                                                   \
    } while (0)
#define LOCAL_ARC(e) HOT_ARC(__local REAL, values, e)
// where the hot and the cold arcs of a slice begin and end
#define BOUNDS(s) ((int4)(hot_begin[s], hot_begin[(s) + 1], cold_begin[s], cold_begin[(s) + 1]))
#define SUM_ROW(sum, bounds, unroll)                     \
    ACC sum = ACC_ZERO;                                  \
    ARCS_OF(sum, bounds.x, bounds.y, LOCAL_ARC, unroll); \
    ARCS_OF(sum, bounds.z, bounds.w, COLD_ARC, unroll)

// With `count` the first work-group, which has no slices, ends the iteration before, or the start: a launch of its own
// would take 6 us on an H200. One work-item does, in the order of pagerank_finish's ENDING work-items; meanwhile the
// others sum pieces, perhaps some that nobody reads, if that iteration was the last.
OF_GROUP
__kernel void pagerank_bin_pieces(const int n, __global const int *restrict bound, SLICE_ARGS,
                                  __global const int *restrict piece_place, __global const REAL *restrict contribution,
                                  __global ACC *restrict piece_sum, END_ARGS)
{
    __local REAL values[ROOM] __attribute__((aligned(16)));
    __local Tally *const box = (__local Tally *)(values + 16 / sizeof(REAL));
    const int group = get_group_id(0), id = get_local_id(0), lane = id & (WIDTH - 1), from = bound[3 * group + 2];
    // stale is harmless: the sums of an iteration after the last one are not read
    const int stopped = SHARED_LOAD(state + STOPPED), end_ = stopped ? 0 : bound[3 * group + 1];
    const int ends = group == 0 && !stopped ? min(count, ENDING) : 0;
    for (int i = id; i < ends; i += LOCAL)
        box[i] = tally_of_lane(i, ENDING, END_PASS);
    TAKE_HOT((from < 0 ? n : from));
    for (int s = bound[3 * group] + id / WIDTH; s < end_; s += LOCAL / WIDTH) {
        const int4 bounds = BOUNDS(s);
        SUM_ROW(sum, bounds, PIECE_UNROLL);
        const int to = piece_place[s * WIDTH + lane];
        if (to >= 0) piece_sum[to] = sum;
    }
    if (id == 0 && ends) {
        for (int half_ = ENDING / 2; half_ > 0; half_ /= 2)
            for (int i = 0; i < half_ && i + half_ < ends; i++) {
                box[i].dangling_mass = acc_join(box[i].dangling_mass, box[i + half_].dangling_mass);
                box[i].moved = acc_join(box[i].moved, box[i + half_].moved);
                box[i].other = norm_join(box[i].other, box[i + half_].other);
            }
        end_iteration(box[0], END_PASS);
    }
}

// The pieces of rows that have more than JOINED: a work-group adds up a row's, and puts the sum in the first one's place.
OF_GROUP
__kernel void pagerank_bin_hubs(__global const int *restrict hub, __global const int *restrict first_piece,
                                __global ACC *piece_sum)
{
    GROUP_BOX;
    const int v = hub[get_group_id(0)], first = first_piece[v], end_ = first_piece[v + 1];
    ACC sum = ACC_ZERO;
    for (int k = first + get_local_id(0); k < end_; k += LOCAL)
        sum = acc_join(sum, piece_sum[k]);
    GROUP_SUM(sum, acc_join);
    if (get_local_id(0) == 0) piece_sum[first] = sum;
}

OF_GROUP
__kernel void pagerank_bins(const int n, SLICE_ARGS, __global const int *restrict first_piece,
                            __global const ACC *restrict piece_sum, __global const REAL *restrict contribution,
                            __global ACC *restrict parts, __global const int *restrict state, VERTEX_ARGS)
{
    __local REAL values[HOT + 1];
    GROUP_BOX;
    const int rows = state[STOPPED] ? 0 : n, slices = rows / WIDTH + ((rows & (WIDTH - 1)) != 0);
    const int lane = get_local_id(0) & (WIDTH - 1);
    Tally tally = TALLY_ZERO;
    TAKE_HOT(0);
    // a team's slices are as many apart as there are teams; the next one's bounds are fetched ahead
    const int stride = LOCAL / WIDTH * get_num_groups(0);
    int s = get_local_id(0) / WIDTH * get_num_groups(0) + get_group_id(0);
    int4 next_bounds = s < slices ? BOUNDS(s) : (int4)(0);
    for (; s < slices; s += stride) {
        const int4 bounds = next_bounds;
        const int head = s * WIDTH, tail = n - head < WIDTH ? n : head + WIDTH;
        const int v = head + lane;
        const REAL before = v < n ? rank[v] : 0, inv = v < n ? inverse[v] : 0;   // fetched while the arcs are summed
        if (s + stride < slices) next_bounds = BOUNDS(s + stride);
        const int has_pieces = first_piece[head] != first_piece[tail];
        SUM_ROW(sum, bounds, UNROLL);
        if (has_pieces && v < n) {
            const ACC none = ACC_ZERO;
            const int first = first_piece[v], pieces = first_piece[v + 1] - first;
            const int end_ = first + (pieces > JOINED ? 1 : pieces);
            for (int k = first; k < end_; k += JOIN_UNROLL) {
                ACC piece[JOIN_UNROLL];
                _Pragma("unroll") for (int i = 0; i < JOIN_UNROLL; i++)
                    piece[i] = k + i < end_ ? piece_sum[k + i] : none;
                _Pragma("unroll") for (int i = 0; i < JOIN_UNROLL; i++) sum = acc_join(sum, piece[i]);
            }
        }
        if (v < n) settle_with(v, sum, before, inv, &tally.dangling_mass, &tally.moved, &tally.other, VERTEX_PASS);
    }
    GROUP_SUM(tally.dangling_mass, acc_join);
    GROUP_SUM(tally.moved, acc_join);
    GROUP_SUM(tally.other, norm_join);
    if (get_local_id(0) == 0) {
        parts[3 * get_group_id(0)] = tally.dangling_mass;
        parts[3 * get_group_id(0) + 1] = tally.moved;
        parts[3 * get_group_id(0) + 2] = tally.other;
    }
}
