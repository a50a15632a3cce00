// components/strong_color.cl: strong components by colors, for the vertices that trimming left (see
// components/strong.h).
//
// forward (and forward_long) and backward (and backward_long) are launched until nothing changes.

#include "components/strong.h"

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
