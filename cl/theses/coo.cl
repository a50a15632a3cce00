// theses/coo.cl: personalized PageRank: an iteration over arcs in coordinate form, for one source: the naive and the
// flat kernel of the contest slides.
//
// coo         one work-item per arc: its contribution is added atomically to its head's sum. OpenCL has no atomic float
//             add, and the order would show in the last bits: sums are integers, in units of 2^-62 (a rank is at most
//             1, and at most 2^-62 is cut off per arc). Two 32-bit words with a carry where there is no
//             64-bit atomic. The bytes are the same whatever the order.
// coo-flat    arcs sorted by head. Each work-group takes an interval of LOCAL * ARCS arcs; each work-item adds up its
//             own, and a segmented scan over the group joins the sums of rows that cross work-items. The sums of rows
//             that cross groups are left in `carry` and added by the group in which the row begins (ppr_flat_carries):
//             no atomics at all.
// settle      one work-item per ITEMS vertices ends the rows of either
//
// layout      ranking/personalized/lanes.h with LANES 1. tail, head int[arcs]; share REAL[arcs] if WEIGHTED
//             fixed uint[2 n]: low and high words; zero between iterations (settle clears them)
//             row_sum ACC[n]: zero where no arc arrives
//             carry ACC[2 * groups]: per group, the sum of the row it closes for others, and of the one it leaves open
//             closes int[groups]: whether a row ends in the group
// launch      push: padded range of ITEMS arcs each; flat: groups of LOCAL; carries: padded range, a group each;
//             settle: groups of LOCAL
// tunables    ITEMS, LOCAL, ARCS

#define LANES 1
#include "ranking/personalized/lanes.h"

#ifndef ARCS
#define ARCS 8
#endif

#ifdef WEIGHTED
#define BRINGS(e) ((WIDE)value[tail[e]] * (WIDE)share[e])
#else
#define BRINGS(e) ((WIDE)value[tail[e]])
#endif
#define ONE ((WIDE)4611686018427387904.0f)   // 2^62

// `fixed` is a 64-bit number; its low word comes first, as on every known device.
static inline void add_fixed(__global uint *fixed, int v, ulong x)
{
#ifdef HAVE_INT64_ATOMICS
    atom_add((volatile __global ulong *)fixed + v, x);
#else
    const uint low = (uint)x, before = atomic_add(fixed + 2 * (size_t)v, low);
    const uint high = (uint)(x >> 32) + (before > 0xffffffffu - low);   // the word wrapped: seen once for each wrap
    if (high) atomic_add(fixed + 2 * (size_t)v + 1, high);
#endif
}

__kernel void ppr_coo_push(const long arcs, __global const int *restrict tail, __global const int *restrict head,
                           __global const REAL *restrict share, __global const REAL *restrict value,
                           __global const int *restrict state, __global uint *fixed)
{
    if (state[STOPPED]) return;
    FOR_ITEMS_LONG(e, arcs) {
        const ulong brought = convert_ulong(BRINGS(e) * ONE);
        if (brought) add_fixed(fixed, head[e], brought);
    }
}

__kernel void ppr_flat_sums(const long arcs, __global const int *restrict tail, __global const int *restrict head,
                            __global const REAL *restrict share, __global const REAL *restrict value,
                            __global const int *restrict state, __global ACC *restrict row_sum,
                            __global ACC *restrict carry, __global int *restrict closes)
{
    __local ACC open[LOCAL];   // after the scan: what is open after each work-item,
    __local int shut[LOCAL];   // and whether a row ended in the group up to there
    const int lid = get_local_id(0), g = get_group_id(0);
    const long group_begin = (long)g * LOCAL * ARCS;
    const long begin = state[STOPPED] ? arcs : min(group_begin + (long)lid * ARCS, arcs), end = min(begin + ARCS, arcs);
    ACC sum = ACC_ZERO, first = ACC_ZERO;   // of the open row, of the first one that ended
    int closed = 0, first_row = 0;
    for (long e = begin; e < end; e++) {
        const int row = head[e];
        sum = acc_add(sum, BRINGS(e));
        if (e + 1 == arcs || head[e + 1] != row) {
            if (closed) {
                row_sum[row] = sum;   // begun here too
            } else {
                first = sum;
                first_row = row;
                closed = 1;
            }
            sum = ACC_ZERO;
        }
    }
    open[lid] = sum;
    shut[lid] = closed;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int by = 1; by < LOCAL; by *= 2) {
        const int other = lid >= by ? lid - by : lid;
        const ACC before = open[other];
        const int before_shut = shut[other];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid >= by) {
            if (!shut[lid]) open[lid] = acc_join(before, open[lid]);
            shut[lid] |= before_shut;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (closed) {
        const int began = lid > 0 && shut[lid - 1];   // a row ended in this group earlier: this one began in it
        const ACC total = lid > 0 ? acc_join(open[lid - 1], first) : first;
        if (began || group_begin == 0 || head[group_begin - 1] != first_row) row_sum[first_row] = total;
        else carry[2 * (size_t)g] = total;
    }
    if (lid == LOCAL - 1 && group_begin < arcs && !state[STOPPED]) {
        carry[2 * (size_t)g + 1] = open[lid];
        closes[g] = shut[lid];
    }
}

__kernel void ppr_flat_carries(const long arcs, const int groups, __global const int *restrict head,
                               __global const int *restrict state, __global const ACC *restrict carry,
                               __global const int *restrict closes, __global ACC *restrict row_sum)
{
    const int g = get_global_id(0);
    const long span = LOCAL * ARCS;
    if (g >= groups - 1 || state[STOPPED]) return;   // the last group leaves nothing open
    const long past = (g + 1) * span;
    const int row = head[past - 1];
    if (head[past] != row) return;
    // the row begins here unless it fills the group from its first arc on, and was already open in the previous group
    if (!closes[g] && g > 0 && head[g * span - 1] == row) return;
    ACC sum = carry[2 * (size_t)g + 1];
    int to = g + 1;
    for (; !closes[to]; to++)   // the last group closes
        sum = acc_join(sum, carry[2 * (size_t)to + 1]);
    row_sum[row] = acc_join(sum, carry[2 * (size_t)to]);
}

__kernel void ppr_settle(const int n, const int test, const int last, __global const ACC *restrict row_sum,
                         __global uint *restrict fixed, __global ACC *restrict parts,
                         __global const int *restrict state,
                         PPR_VERTEX_ARGS)
{
    TALLY_BOX;
    Tally tally = TALLY_ZERO;
    const int look = any_looks(state, test, last), rows = state[STOPPED] ? 0 : n;
    const WIDE flow = damping * ACC_VALUE(sums[0]);
    FOR_ITEMS(v, rows) {
#ifdef FIXED
        const ulong whole = ((ulong)fixed[2 * (size_t)v + 1] << 32) | fixed[2 * (size_t)v];
        const WIDE row = (WIDE)whole / ONE;
        fixed[2 * (size_t)v] = fixed[2 * (size_t)v + 1] = 0;
#else
        const WIDE row = ACC_VALUE(row_sum[v]);
#endif
        const REAL width = scale[v], up = width == 0 ? (REAL)1 : width, down = 1 / up;
        PPR_SETTLE(v, 0, row, flow, 1, look, up, down, tally.moved, tally.other);
        if (width == 0) tally.dangling_mass = acc_add(tally.dangling_mass, next[v]);
    }
    if (state[STOPPED]) {
        FOR_ITEMS(v, n) next[v] = value[v];
    }
    TALLY_GROUP(tally, parts, get_group_id(0));
}
