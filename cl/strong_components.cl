// strong_components.cl: strongly connected components by trimming and coloring
// (McLendon, Hendrickson, Plimpton, Rauchwerger, JPDC 65(8), 2005; Slota, Rajamanickam, Madduri: Multistep, IPDPS
// 2014; Orzan's coloring with random priorities, so that few rounds do whatever the numbering).
//
// A round works inside regions; no strong component lies in two. Vertices without an arc in or out of their region
// are components of their own (degrees, trim). The rest start with a color, their priority (seed), and the largest
// color wins along the arcs (forward). A vertex that kept its own color is a root; its component is what reaches it
// in its color (roots, backward). What is left has its colors for regions (settle). In the first round one pivot
// alone has a color: that takes the giant component in one search either way.
//
// region uint[n]      0: v's component is known; else vertices of one value may share a component
// color  uint[n]      largest priority that has reached v in this round; priorities are distinct and never 0
// done   uint[n]      forward: the color that was last passed on from v; backward: 0 once v's in-arcs were followed
// in_left, out_left   int[n]: arcs from and to unassigned vertices of the region, self-loops not counted
// label  int[n]       -1, or the root of v's component; in the end its smallest vertex (least, relabel)
// rows                row_ptr, col_idx the out-arcs, in_ptr, in_idx the in-arcs
// launch              padded range, ITEMS consecutive vertices a work-item, launched until state[CHANGED] stays 0.
//                     Reaching needs no levels: a work-item that reaches a vertex goes on from there itself, CHASE
//                     steps far, and leaves only the others it reached to the next launch. So a long path or cycle
//                     takes length / CHASE launches. *_long: any number of work-groups, each takes pieces of rows.
// tunables            ITEMS, CHASE, LONG_ROW and PIECE (as in components.cl)

#ifndef OFFSET
#define OFFSET int
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

// state int[3]
#define CHANGED 0     // another launch is needed
#define LEFT 1        // a vertex is still unassigned
#define PIECES 2      // entries in the queue of long rows

#define OUT_ROWS __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx
#define IN_ROWS __global const OFFSET *restrict in_ptr, __global const int *restrict in_idx
#define QUEUE __global int *state, __global int *restrict queue, const int capacity

// Distinct for distinct vertices, and never 0: a bijection of 32 bits that leaves 0 in its place.
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

// --- scans of one row, or of a part of it: slots begin, begin + stride, ... before end --------------------------

static inline int count_row(int v, OFFSET begin, OFFSET stride, OFFSET end, __global const int *restrict idx,
                            __global const uint *restrict region)
{
    int count = 0;
    uint home = region[v];
    for (OFFSET e = begin; e < end; e += stride) {
        int u = idx[e];
        count += u != v && region[u] == home;
    }
    return count;
}

// v is gone: one arc less for its neighbours. Returns one that has none left, or -1; `more` if there are others.
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

// Pass color c on. Returns a vertex whose color rose, or -1; `more` if there are others.
static inline int raise_row(int v, uint c, OFFSET begin, OFFSET stride, OFFSET end, __global const int *restrict idx,
                            __global const uint *restrict region, __global uint *color, int *more)
{
    int next = -1;
    uint home = region[v];
    for (OFFSET e = begin; e < end; e += stride) {
        int u = idx[e];
        // stale is harmless: colors only rise, and atomic_max decides
        if (region[u] != home || SHARED_LOAD(color + u) >= c) continue;
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
        if (color[u] != c || SHARED_LOAD(label + u) >= 0) continue;
        if (atomic_cmpxchg(label + u, -1, root) == -1) {
            if (next >= 0) *more = 1;
            next = u;
        }
    }
    return next;
}

// --- kernels -----------------------------------------------------------------------------------------------------

__kernel void strong_degrees(const int n, OUT_ROWS, IN_ROWS, __global const uint *restrict region,
                             __global int *restrict in_left, __global int *restrict out_left, QUEUE)
{
    FOR_ITEMS(v, n) {
        if (region[v] == 0) continue;
        OFFSET begin = row_ptr[v], end = row_ptr[v + 1];
        int far = end - begin > LONG_ROW;
        out_left[v] = far ? 0 : count_row(v, begin, 1, end, col_idx, region);
        if (far) push_row(v, end - begin, state, queue, capacity);
        begin = in_ptr[v];
        end = in_ptr[v + 1];
        far = end - begin > LONG_ROW;
        in_left[v] = far ? 0 : count_row(v, begin, 1, end, in_idx, region);
        if (far) push_row(~v, end - begin, state, queue, capacity);
    }
}

__kernel void strong_trim(const int n, OUT_ROWS, IN_ROWS, __global const uint *restrict region,
                          __global int *in_left, __global int *out_left, __global int *label, QUEUE)
{
    int more = 0;
    FOR_ITEMS(s, n) {
        if (region[s] == 0) continue;
        // stale is harmless, here and below: counts only fall, who sees the last fall goes on from there or says
        // that more is to do, and the exchange lets one work-item alone take a vertex
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
            OFFSET begin = row_ptr[v], end = row_ptr[v + 1];
            if (end - begin > LONG_ROW) {
                push_row(v, end - begin, state, queue, capacity);
                more = 1;
            } else {
                next = lower_row(v, begin, 1, end, col_idx, region, in_left, &more);
            }
            begin = in_ptr[v];
            end = in_ptr[v + 1];
            if (end - begin > LONG_ROW) {
                push_row(~v, end - begin, state, queue, capacity);
                more = 1;
            } else {
                other = lower_row(v, begin, 1, end, in_idx, region, out_left, &more);
            }
            if (next >= 0 && other >= 0) more = 1;
            v = next >= 0 ? next : other;
        }
    }
    say_changed(more, state);
}

// Of each stretch of `block` vertices the unassigned one with the largest product of degrees (a pivot likely to
// lie in the giant component): best[2b] = v or -1, best[2b + 1] = that product, cut to 31 bits.
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

// Trimmed vertices leave; the others get their first color (only the pivot, if there is one).
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
            // A stale color is harmless: whoever raised it goes on from v, or says that more is to do. A stale `done`
            // at worst passes a color on twice. Whoever writes a color into `done` passes it on.
            c = max(c, SHARED_LOAD(color + v));
            if (c == SHARED_LOAD(done + v)) break;
            if (step == CHASE) {
                more = 1;
                break;
            }
            SHARED_STORE(done + v, c);
            OFFSET begin = row_ptr[v], end = row_ptr[v + 1];
            if (end - begin > LONG_ROW) {
                push_row(v, end - begin, state, queue, capacity);
                break;
            }
            v = raise_row(v, c, begin, 1, end, col_idx, region, color, &more);
        }
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
        // stale is harmless: whoever labelled s goes on from it, or says that more is to do
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
            OFFSET begin = in_ptr[v], end = in_ptr[v + 1];
            if (end - begin > LONG_ROW) {
                push_row(~v, end - begin, state, queue, capacity);
                break;
            }
            v = claim_row(v, root, begin, 1, end, in_idx, color, label, &more);
        }
    }
    say_changed(more, state);
}

// Assigned vertices leave, the others' colors are their regions now.
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
