// components/strong_trim.cl: strong components of a single vertex (see components/strong.h).
//
// trim is launched, with trim_long where rows may be long, until nothing changes: a trimmed vertex lowers its
// neighbours' counts, and those whose count falls to 0 are trimmed too.

#include "components/strong.h"

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
