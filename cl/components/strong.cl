// components/strong.cl: strongly connected components by trimming and coloring (McLendon, Hendrickson, Plimpton,
// Rauchwerger, JPDC 65(8), 2005; Slota, Rajamanickam, Madduri: Multistep, IPDPS 2014). The colors are random priorities,
// so that a few rounds suffice however the vertices are numbered (Blelloch, Gu, Shun, Sun: Parallelism in Randomized
// Incremental Algorithms, 2016).
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

// --- Components of a single vertex: trim is launched, with trim_long where rows may be long, until nothing changes. A
// trimmed vertex lowers its neighbours' counts, and those whose count falls to 0 are trimmed, too.

// With `whole` all vertices are in one region, and none needs to be looked up.
static inline int count_row(int v, OFFSET begin, OFFSET stride, OFFSET end, __global const int *restrict idx,
                            const int whole, __global const uint *restrict region)
{
    int count = 0;
    if (whole) {
        for (OFFSET e = begin; e < end; e += stride) count += idx[e] != v;
        return count;
    }
    uint home = region[v];
    for (OFFSET e = begin; e < end; e += stride) {
        int u = idx[e];
        count += (u != v) & (region[u] == home);
    }
    return count;
}

// v is trimmed: one arc less for its neighbours. Returns one that has none left, or -1; `more` if there are others.
static inline int lower_row(int v, OFFSET begin, OFFSET stride, OFFSET end, __global const int *restrict idx,
                            __global const uint *restrict region, __global int *left, int *more)
{
    int next = -1;
    uint home = region[v];
    for (OFFSET e = begin; e < end; e += stride) {
        int u = idx[e];
        if (u == v || region[u] != home) continue;
        if (atomic_dec(left + u) == 1) {
            if (next >= 0) *more = 1;
            next = u;
        }
    }
    return next;
}

__kernel void strong_degrees(const int n, OUT_ROWS, IN_ROWS, const int whole, __global const uint *restrict region,
                             __global int *restrict in_left, __global int *restrict out_left, QUEUE)
{
    FOR_ITEMS(v, n) {
        if (region[v] == 0) continue;
        OFFSET begin = row_ptr[v], end = row_end[v + END_SHIFT];
        int far = end - begin > LONG_ROW;
        out_left[v] = far ? 0 : count_row(v, begin, 1, end, col_idx, whole, region);
        if (far) push_row(v, end - begin, state, queue, capacity);
        begin = in_ptr[v];
        end = in_end[v + END_SHIFT];
        far = end - begin > LONG_ROW;
        in_left[v] = far ? 0 : count_row(v, begin, 1, end, in_idx, whole, region);
        if (far) push_row(~v, end - begin, state, queue, capacity);
    }
}

__kernel void strong_degrees_long(OUT_ROWS, IN_ROWS, const int whole, __global const uint *restrict region,
                                  __global int *in_left, __global int *out_left, QUEUE)
{
    int count = min(state[PIECES], capacity);
    for (int i = get_group_id(0); i < count; i += get_num_groups(0)) {
        int entry = queue[2 * i];
        int v = entry < 0 ? ~entry : entry;
        OFFSET begin;
        OFFSET end = piece_slots(v, queue[2 * i + 1], entry < 0 ? in_ptr : row_ptr, entry < 0 ? in_end : row_end,
                                 &begin);
        int found = count_row(v, begin, get_local_size(0), end, entry < 0 ? in_idx : col_idx, whole, region);
        if (found) atomic_add((entry < 0 ? in_left : out_left) + v, found);
    }
}

__kernel void strong_trim(const int n, OUT_ROWS, IN_ROWS, __global const uint *restrict region,
                          __global int *in_left, __global int *out_left, __global int *label, QUEUE)
{
    int more = 0;
    FOR_ITEMS(s, n) {
        if (region[s] == 0) continue;
        // stale is harmless, here and below: counts only fall, the work-item that sees the last fall goes on from
        // there or reports that more is to do, and the exchange lets exactly one work-item take a vertex
        if (SHARED_LOAD(in_left + s) > 0 && SHARED_LOAD(out_left + s) > 0) continue;
        int v = s;
        for (int step = 0; v >= 0; ++step) {
            if (SHARED_LOAD(label + v) >= 0) break;
            if (step == CHASE) {
                more = 1;
                break;
            }
            if (atomic_cmpxchg(label + v, -1, v) != -1) break;
            int next = -1, other = -1;
            OFFSET begin = row_ptr[v], end = row_end[v + END_SHIFT];
            if (end - begin > LONG_ROW) {
                push_row(v, end - begin, state, queue, capacity);
            } else {
                next = lower_row(v, begin, 1, end, col_idx, region, in_left, &more);
            }
            begin = in_ptr[v];
            end = in_end[v + END_SHIFT];
            if (end - begin > LONG_ROW) {
                push_row(~v, end - begin, state, queue, capacity);
            } else {
                other = lower_row(v, begin, 1, end, in_idx, region, out_left, &more);
            }
            if (next >= 0 && other >= 0) more = 1;
            v = next >= 0 ? next : other;
        }
    }
    say_changed(more, state);
}

__kernel void strong_trim_long(OUT_ROWS, IN_ROWS, __global const uint *restrict region, __global int *in_left,
                               __global int *out_left, QUEUE)
{
    int more = 0;
    int count = min(state[PIECES], capacity);
    for (int i = get_group_id(0); i < count; i += get_num_groups(0)) {
        int entry = queue[2 * i];
        int v = entry < 0 ? ~entry : entry;
        OFFSET begin;
        OFFSET end = piece_slots(v, queue[2 * i + 1], entry < 0 ? in_ptr : row_ptr, entry < 0 ? in_end : row_end,
                                 &begin);
        int next = lower_row(v, begin, get_local_size(0), end, entry < 0 ? in_idx : col_idx, region,
                             entry < 0 ? out_left : in_left, &more);
        if (next >= 0) more = 1;
    }
    say_changed(more, state);
}

// --- Components by colors, of the vertices that trimming left: forward and backward (and their _long) are launched until
// nothing changes.

// Pass color c on. Returns a vertex whose color rose, or -1; `more` if there are others.
static inline int raise_row(int v, uint c, OFFSET begin, OFFSET stride, OFFSET end, __global const int *restrict idx,
                            __global const uint *restrict region, __global uint *color, int *more)
{
    int next = -1;
    uint home = region[v];
    for (OFFSET e = begin; e < end; e += stride) {
        int u = idx[e];
        // stale is harmless: colors only rise, and atomic_max decides (checked first: avoids most reads of `region`)
        if (SHARED_LOAD(color + u) >= c || region[u] != home) continue;
        if (atomic_max(color + u, c) < c) {
            if (next >= 0) *more = 1;
            next = u;
        }
    }
    return next;
}

// Vertices of v's color that have an arc to v belong to its root. Returns one that is new, or -1.
static inline int claim_row(int v, int root, OFFSET begin, OFFSET stride, OFFSET end,
                            __global const int *restrict idx, __global const uint *restrict color,
                            __global int *label, int *more)
{
    int next = -1;
    uint c = color[v];
    for (OFFSET e = begin; e < end; e += stride) {
        int u = idx[e];
        // a color belongs to one round: roots are assigned in theirs. Stale is harmless: the exchange decides
        if (SHARED_LOAD(label + u) >= 0 || color[u] != c) continue;
        if (atomic_cmpxchg(label + u, -1, root) == -1) {
            if (next >= 0) *more = 1;
            next = u;
        }
    }
    return next;
}

// In each stretch of `block` vertices the unassigned one with the largest product of degrees (a pivot likely to lie
// in the giant component): best[2b] = v or -1, best[2b + 1] = that product, capped at 31 bits.
__kernel void strong_pivot(const int n, const int blocks, const int block, __global const int *restrict in_left,
                           __global const int *restrict out_left, __global const int *restrict label,
                           __global int *restrict best)
{
    int b = get_global_id(0);
    if (b >= blocks) return;
    int pivot = -1;
    long most = -1;
    int end = n - b * block > block ? (b + 1) * block : n;
    for (int v = b * block; v < end; ++v) {
        if (label[v] >= 0) continue;
        long product = (long)in_left[v] * out_left[v];
        if (product > most) {
            pivot = v;
            most = product;
        }
    }
    best[2 * b] = pivot;
    best[2 * b + 1] = (int)min(most, 0x7fffffffL);
}

// Trimmed vertices drop out; the others get their first color (only the pivot, if there is one).
__kernel void strong_seed(const int n, const int pivot, __global const int *restrict label,
                          __global uint *restrict region, __global uint *restrict color, __global uint *restrict done)
{
    FOR_ITEMS(v, n) {
        if (region[v] == 0) continue;
        if (label[v] >= 0) {
            region[v] = 0;
            continue;
        }
        color[v] = pivot < 0 || v == pivot ? priority(v) : 0;
        done[v] = 0;
    }
}

__kernel void strong_forward(const int n, OUT_ROWS, __global const uint *restrict region, __global uint *color,
                             __global uint *done, QUEUE)
{
    int more = 0;
    FOR_ITEMS(s, n) {
        if (region[s] == 0) continue;
        int v = s;
        uint c = 0;
        for (int step = 0; v >= 0; ++step) {
            // A stale color is harmless: the work-item that raised it goes on from v, or reports that more is to do. A
            // stale `done` at worst passes a color on twice. The work-item that writes a color into `done` passes it
            // on.
            c = max(c, SHARED_LOAD(color + v));
            if (c == SHARED_LOAD(done + v)) break;
            OFFSET begin = row_ptr[v], end = row_end[v + END_SHIFT];
            int far = end - begin > LONG_ROW;
            if (step == CHASE || (far && step > 0)) {   // a row is queued once per launch, by its own work-item
                more = 1;
                break;
            }
            SHARED_STORE(done + v, c);
            if (far) {
                push_row(v, end - begin, state, queue, capacity);
                break;
            }
            v = raise_row(v, c, begin, 1, end, col_idx, region, color, &more);
        }
    }
    say_changed(more, state);
}

__kernel void strong_forward_long(OUT_ROWS, __global const uint *restrict region, __global uint *color, QUEUE)
{
    int more = 0;
    int count = min(state[PIECES], capacity);
    for (int i = get_group_id(0); i < count; i += get_num_groups(0)) {
        int v = queue[2 * i];
        OFFSET begin;
        OFFSET end = piece_slots(v, queue[2 * i + 1], row_ptr, row_end, &begin);
        // stale is harmless: a color that rises now is not yet in `done`, and v's turn comes again
        uint c = SHARED_LOAD(color + v);
        if (raise_row(v, c, begin, get_local_size(0), end, col_idx, region, color, &more) >= 0) more = 1;
    }
    say_changed(more, state);
}

// A vertex that kept its own color is the root of a component.
__kernel void strong_roots(const int n, __global const uint *restrict region, __global const uint *restrict color,
                           __global uint *restrict done, __global int *restrict label)
{
    FOR_ITEMS(v, n) {
        if (region[v] == 0) continue;
        done[v] = color[v];
        if (color[v] == priority(v)) label[v] = v;
    }
}

__kernel void strong_backward(const int n, IN_ROWS, __global const uint *restrict region,
                              __global const uint *restrict color, __global uint *done, __global int *label, QUEUE)
{
    int more = 0;
    FOR_ITEMS(s, n) {
        if (region[s] == 0) continue;
        // stale is harmless: the work-item that labelled s goes on from it, or reports that more is to do
        int root = SHARED_LOAD(label + s);
        if (root < 0) continue;
        int v = s;
        for (int step = 0; v >= 0; ++step) {
            if (SHARED_LOAD(done + v) == 0) break;   // it only falls to 0; the exchange below decides
            if (step == CHASE) {
                more = 1;
                break;
            }
            if (atomic_xchg(done + v, 0u) == 0) break;
            OFFSET begin = in_ptr[v], end = in_end[v + END_SHIFT];
            if (end - begin > LONG_ROW) {
                push_row(~v, end - begin, state, queue, capacity);
                break;
            }
            v = claim_row(v, root, begin, 1, end, in_idx, color, label, &more);
        }
    }
    say_changed(more, state);
}

__kernel void strong_backward_long(IN_ROWS, __global const uint *restrict color, __global int *label, QUEUE)
{
    int more = 0;
    int count = min(state[PIECES], capacity);
    for (int i = get_group_id(0); i < count; i += get_num_groups(0)) {
        int v = ~queue[2 * i];
        OFFSET begin;
        OFFSET end = piece_slots(v, queue[2 * i + 1], in_ptr, in_end, &begin);
        // v was labelled in the previous launch
        int root = SHARED_LOAD(label + v);
        if (claim_row(v, root, begin, get_local_size(0), end, in_idx, color, label, &more) >= 0) more = 1;
    }
    say_changed(more, state);
}

// Assigned vertices drop out; the colors of the others become their regions.
__kernel void strong_settle(const int n, __global const int *restrict label, __global const uint *restrict color,
                            __global uint *restrict region, __global int *state)
{
    int left = 0;
    FOR_ITEMS(v, n) {
        if (region[v] == 0) continue;
        if (label[v] >= 0) {
            region[v] = 0;
        } else {
            left = 1;
            if (color[v]) region[v] = color[v];
        }
    }
    // stale is harmless: the word only goes from 0 to 1 in a launch
    if (left && SHARED_LOAD(state + LEFT) == 0) atomic_xchg(state + LEFT, 1);
}

// least[r] = smallest vertex of root r's component (filled with n beforehand); then every label becomes that.
__kernel void strong_least(const int n, __global const int *restrict label, __global int *least)
{
    FOR_ITEMS(v, n) {
        int root = label[v];
        // stale is harmless: it only falls, and atomic_min decides
        if (SHARED_LOAD(least + root) > v) atomic_min(least + root, v);
    }
}

__kernel void strong_relabel(const int n, __global int *restrict label, __global const int *restrict least)
{
    FOR_ITEMS(v, n) label[v] = least[label[v]];
}
