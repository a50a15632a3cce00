// sampling/draw_runs.cl: drve and dhyb in batches, a run a work-group: the loop of clgraph/sampling/batched.py with the
// draws of sampling/draw.cl, for graphs without parallel edges. Each run is, bit for bit, the run alone.
//
// A batch draws edges of the graph at its start, (seed, step, i) giving draw i, and deletes the first distinct ones; of
// what is left the largest component stays. While that is too small, half of them are put back.
//
// low, high  int[m]       the edges u < v in index order; edge int[arcs]: the edge of each arc
// inside     int[n]       labels of the graph's components; the run begins in the one of `root`, `whole` vertices
// target, least  int[targets]   sizes, decreasing; samples of fewer than `least` vertices are too small
// area       int[runs * (2 n + m + room)]
//   state    int[m]       GONE, else NEVER or the first draw of this batch that hit the edge
//   label    int[n]       a forest (sampling/runs.h), -1: gone; weight int[n]: sizes of trees
//   list     int[room]    the edges of a batch
// member     uint[runs * targets * words], kept uint[... * edge_words]: what is left, in bits
// count      int[runs * targets * 3]: vertices, edges, batches
// launch     one work-group of LOCAL per run
// variant    HYBRID: dhyb; a draw is of the kind of drve with probability p / q
// tunables   LOCAL, a power of two (1 on CPUs)

#include "keyed.h"
#include "sampling/runs.h"

#ifndef OFFSET
#define OFFSET int
#endif
#ifndef HYBRID
#define HYBRID 0
#endif
#define NEVER 0x7FFFFFFF
#define GONE (-1)

// floor(2^64 a / b) for a < b < 2^63.
static inline ulong share_of(ulong a, const ulong b)
{
    ulong share = 0;
    for (int bit = 0; bit < 64; bit++) {
        a *= 2;
        share = 2 * share + (a >= b);
        a -= a >= b ? b : 0;
    }
    return share;
}

static inline long up(const long a, const long b) { return (a + b - 1) / b; }

// The vertex whose block of slots (sampling/copra.h) contains this one.
static inline int block_of(const ulong slot, const int n, __global const OFFSET *row_ptr)
{
    int low = 0, high = n - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if ((ulong)row_ptr[middle] + 2 * (ulong)middle <= slot)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// The edge that draw i hits, -1 if none. Stale states are harmless: in this phase none becomes GONE.
static inline int hit(const ulong seed, const uint step, const uint i, const ulong threshold, const int n,
                      const ulong slots, __global const OFFSET *row_ptr, __global const int *edge,
                      __global int *state)
{
    const philox4x32_ctr_t x = keyed_words(seed, step, i, 0, TAG_DRAW);
#if HYBRID
    if (keyed_a(keyed_words(seed, step, i, 1, TAG_DRAW)) >= threshold) {
        const ulong slot = mul_hi(keyed_a(x), slots);
        const int v = block_of(slot, n, row_ptr);
        const long p = (long)slot - 2 * ((long)v + 1);   // before the row: a header
        return p >= row_ptr[v] && SHARED_LOAD(state + edge[p]) != GONE ? edge[p] : -1;
    }
#endif
    const int v = keyed_below(keyed_a(x), n);
    int degree = 0;
    for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
        degree += SHARED_LOAD(state + edge[p]) != GONE;
    if (degree == 0)
        return -1;
    OFFSET p = row_ptr[v];
    for (int left = keyed_below(keyed_b(x), degree); left > 0 || SHARED_LOAD(state + edge[p]) == GONE; p++)
        left -= SHARED_LOAD(state + edge[p]) != GONE;
    return edge[p];
}

__kernel void draw_runs(const int n, const int m, const int room, const ulong first_seed, const ulong p, const ulong q,
                        __global const OFFSET *restrict row_ptr, __global const int *restrict edge,
                        __global const int *restrict low, __global const int *restrict high,
                        __global const int *restrict inside, const int root, const int whole, const int targets,
                        __global const int *restrict target, __global const int *restrict least, __global int *area,
                        __global uint *restrict member, __global uint *restrict kept, __global int *restrict count)
{
    __local int box[LOCAL];
    __local ulong best[LOCAL];
    const int run = get_group_id(0), lane = get_local_id(0), words = (n + 31) / 32, edge_words = (m + 31) / 32;
    const ulong seed = first_seed + run, slots = 2 * ((ulong)n + m);
    __global int *state = area + (long)run * (2 * (long)n + m + room), *label = state + m, *weight = label + n;
    __global int *list = weight + n;
    for (int v = lane; v < n; v += LOCAL)
        label[v] = inside[v] == root ? v : -1;
    int mine = 0;
    for (int e = lane; e < m; e += LOCAL) {
        const int there = inside[low[e]] == root;
        state[e] = there ? NEVER : GONE;
        mine += there;
    }
    box[lane] = mine;
    SUMS_UP_TO(box, lane);
    int size = whole, left = box[LOCAL - 1], deleted = 0;
    long edges = left, vertices = whole;   // deleted edges to lost vertices, at first all to all
    uint step = 0;
    for (int t = 0; t < targets; t++) {
        const long excess = size - target[t];
        for (int batch = 1; size > target[t]; batch++) {
            const long planned = batch <= 5 ? up(excess * edges, vertices << batch)
                                            : up(3 * excess * edges, 100 * vertices);
            const long missing = up((size - target[t]) * edges, vertices);
            int wanted = max(1L, min(min(planned, missing), (long)left / 8));
            ulong threshold = 0;
#if HYBRID
            const ulong by_vertex = p * 2 * left * n;
            threshold = share_of(by_vertex, by_vertex + (q - p) * size * slots);
#endif
            uint i = lane;
            for (int have = 0; have < wanted; i += LOCAL) {
                TOGETHER;
                const int e = hit(seed, step, i, threshold, n, slots, row_ptr, edge, state);
                if (e >= 0)
                    atomic_min(state + e, (int)i);
                TOGETHER;
                const int fresh = e >= 0 && state[e] == (int)i;
                box[lane] = fresh;
                SUMS_UP_TO(box, lane);
                const int at = have + box[lane] - 1;
                if (fresh && at < wanted)
                    list[at] = e;
                else if (fresh)
                    state[e] = NEVER;   // only this draw knows it
                have += box[LOCAL - 1];
            }
            TOGETHER;
            for (int k = lane; k < wanted; k += LOCAL)
                state[list[k]] = GONE;
            int keep, found;
            for (;;) {
                for (int v = lane; v < n; v += LOCAL) {
                    label[v] = label[v] < 0 ? -1 : v;
                    weight[v] = 0;
                }
                TOGETHER;
                for (int e = lane; e < m; e += LOCAL)
                    if (state[e] != GONE)
                        join(low[e], high[e], label);
                TOGETHER;
                for (int v = lane; v < n; v += LOCAL)
                    if (SHARED_LOAD(label + v) >= 0) {
                        const int top = root_above(v, label);
                        SHARED_STORE(label + v, top);
#if LOCAL == 1
                        weight[top]++;
#else
                        atomic_inc(weight + top);
#endif
                    }
                TOGETHER;
                ulong largest = 0;   // of equally large ones the one with the smallest vertex
                for (int v = lane; v < n; v += LOCAL)
                    if (label[v] == v)
                        largest = max(largest, (ulong)weight[v] << 32 | (uint)~v);
                best[lane] = largest;
                for (int half_ = LOCAL / 2; half_ > 0; half_ /= 2) {
                    TOGETHER;
                    if (lane < half_)
                        best[lane] = max(best[lane], best[lane + half_]);
                }
                TOGETHER;
                keep = ~(int)(uint)best[0];
                found = best[0] >> 32;
                if (found >= least[t] || wanted == 1)
                    break;
                const int fewer = (wanted + 1) / 2;
                for (int k = fewer + lane; k < wanted; k += LOCAL)
                    state[list[k]] = NEVER;
                wanted = fewer;
                TOGETHER;
            }
            int lost = 0;
            for (int e = lane; e < m; e += LOCAL)
                if (state[e] != GONE && label[low[e]] != keep) {
                    state[e] = GONE;
                    lost++;
                } else if (state[e] != GONE) {
                    state[e] = NEVER;
                }
            box[lane] = lost;
            SUMS_UP_TO(box, lane);
            for (int v = lane; v < n; v += LOCAL)
                if (label[v] != keep)
                    label[v] = -1;
            left -= wanted + box[LOCAL - 1];
            TOGETHER;
            size = found;
            deleted += wanted;
            step++;
            if (size < whole) {
                edges = deleted;
                vertices = whole - size;
            }
        }
        const long slot = (long)run * targets + t;
        for (int w = lane; w < words; w += LOCAL) {
            uint bits = 0;
            for (int v = 32 * w; v < min(32 * w + 32, n); v++)
                bits |= (uint)(label[v] >= 0) << v % 32;
            member[slot * words + w] = bits;
        }
        for (int w = lane; w < edge_words; w += LOCAL) {
            uint bits = 0;
            for (int e = 32 * w; e < min(32 * w + 32, m); e++)
                bits |= (uint)(state[e] != GONE) << e % 32;
            kept[slot * edge_words + w] = bits;
        }
        if (lane == 0) {
            count[3 * slot] = size;
            count[3 * slot + 1] = left;
            count[3 * slot + 2] = step;
        }
        TOGETHER;
    }
    if (run == 0 && lane == 0)
        count[3 * (long)get_num_groups(0) * targets] = whole;
}
