// components/strong.h: what the kernels for strong components share (components/strong_trim.cl,
// components/strong_color.cl).
//
// Strongly connected components by trimming and coloring (McLendon, Hendrickson, Plimpton, Rauchwerger, JPDC 65(8),
// 2005; Slota, Rajamanickam, Madduri: Multistep, IPDPS 2014). The colors are random priorities, so that a few rounds
// suffice however the vertices are numbered (Blelloch, Gu, Shun, Sun: Parallelism in Randomized Incremental Algorithms,
// 2016).
//
// A round works inside regions; no strong component spans two. Vertices without an arc in or out of their region are
// single components (degrees, trim). The rest start with a color, their priority (seed), and the largest color wins
// along the arcs (forward). A vertex that kept its own color is a root; its component consists of the vertices of its
// color that reach it (roots, backward). The colors of the remaining vertices become their regions (settle). In the
// first round only one pivot has a color: that finds the giant component with one search in each direction.
//
// region uint[n]      0: v's component is known; else vertices of one value may share a component
// color  uint[n]      largest priority that has reached v in this round; priorities are distinct and never 0
// done   uint[n]      forward: the color that was last passed on from v; backward: 0 once v's in-arcs were followed
// in_left, out_left   int[n]: arcs from and to unassigned vertices of the region, self-loops not counted
// label  int[n]       -1, or the root of v's component; in the end its smallest vertex (least, relabel)
// state  int[3]       CHANGED: another launch is needed; LEFT: a vertex is unassigned; PIECES: entries in `queue`
// queue               pieces of rows that are too long for one work-item: (v, piece), ~v for a row of in-arcs
// rows                out-arcs of v: col_idx from row_ptr[v] up to row_end[v + END_SHIFT]; in-arcs: in_idx, in_ptr,
//                     in_end.
//                     For a plain CSR the ends are the starts again, and END_SHIFT is 1.
// launch              padded range, ITEMS consecutive vertices per work-item, launched until state[CHANGED] stays 0.
//                     Reaching needs no levels: a work-item that reaches a vertex goes on from it for up to CHASE
//                     steps, and leaves only the other vertices that it reached to the next launch. So a long path or
//                     cycle takes length / CHASE launches. *_long: any number of work-groups, each takes queued
//                     pieces in turn, adjacent work-items take adjacent slots.
// tunables            ITEMS, CHASE, END_SHIFT, and LONG_ROW and PIECE as in components/finder.cl

#ifndef END_SHIFT
#define END_SHIFT 1
#endif
#ifndef CHASE
#define CHASE 4096
#endif
#ifndef LONG_ROW
#ifdef KIND_GPU
#define LONG_ROW 64
#else
#define LONG_ROW 0x7fffffff
#endif
#endif
#ifndef PIECE
#define PIECE 1024
#endif

#define CHANGED 0
#define LEFT 1
#define PIECES 2

#define OUT_ROWS __global const OFFSET *row_ptr, __global const OFFSET *row_end, __global const int *restrict col_idx
#define IN_ROWS __global const OFFSET *in_ptr, __global const OFFSET *in_end, __global const int *restrict in_idx
#define QUEUE __global int *state, __global int *restrict queue, const int capacity

// Distinct for distinct vertices, and never 0: a bijection of 32 bits that keeps 0 fixed.
static inline uint priority(int v)
{
    uint x = (uint)v + 1u;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

// `entry` is v for a row of out-arcs, ~v for a row of in-arcs.
static inline void push_row(int entry, OFFSET length, QUEUE)
{
    int pieces = (int)((length - 1) / PIECE) + 1;
    int at = atomic_add(state + PIECES, pieces);
    for (int i = 0; i < pieces && at + i < capacity; ++i) {
        queue[2 * (at + i)] = entry;
        queue[2 * (at + i) + 1] = i;
    }
}

static inline void say_changed(int more, __global int *state)
{
    // stale is harmless: the word only goes from 0 to 1 in a launch
    if (more && SHARED_LOAD(state + CHANGED) == 0) atomic_xchg(state + CHANGED, 1);
}

// Slots of a queued piece that are this work-item's: begin, begin + get_local_size(0), ... before the end returned.
static inline OFFSET piece_slots(int v, int piece, __global const OFFSET *ptr, __global const OFFSET *row_ends,
                                 OFFSET *begin)
{
    OFFSET first = ptr[v] + (OFFSET)piece * PIECE;
    OFFSET end = row_ends[v + END_SHIFT];
    *begin = first + (OFFSET)get_local_id(0);
    return end - first > PIECE ? first + PIECE : end;
}
