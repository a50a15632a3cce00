// sampling/draw.cl: draws for drve and dhyb, keyed by (seed, step, i); a batch is the first k distinct edges in the
// order of i.
//
// drve   a vertex uniform among all indices (a dead one does not count), then one of its live edges, uniform;
//        so P(e = (u, v)) = (1/n)(1/d(u) + 1/d(v)) with the current degrees
// dhyb   (HYBRID) a coin first: below `threshold` a drve draw, else a slot uniform among all slots of COPRA (a dead
//        one and a header do not count): an edge uniform. The threshold compensates for the misses of the two. The coin
//        has its own Philox block: where it says drve, draw i hits the same edge as draw i of drve.
//
// drawn_vertex int[draws], drawn_slot, drawn_far OFFSET[draws]    what draw i hit: a vertex, one of its slots (-1: it
//                      does not count) and the edge's other slot
// first   int[slots]   at the smaller of an edge's two slots: the first draw that hit it, else INT_MAX
// launch               padded range, ITEMS consecutive draws per work-item (draw_distinct: BLOCK)
// tunables             ITEMS, BLOCK; HYBRID for dhyb; DRAWS are made side by side, step by step, so that their cache
//                      misses overlap (a draw alone waits for one miss after another)
//
// RUNS   many runs side by side, each in a work-group that goes through the whole loop of clgraph/sampling/batched.py,
//        in graphs without parallel edges; bit for bit the run alone. A batch draws edges of the graph at its start and
//        deletes the first distinct ones; of what is left the largest component stays. While that is too small, half of
//        them are put back.
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
// launch     one work-group of LOCAL, a power of two (1 on CPUs), per run

#include "keyed.h"
#include "sampling/copra.h"

#ifndef BLOCK
#define BLOCK 64
#endif

#ifndef HYBRID
#define HYBRID 0
#endif

#ifndef DRAWS
#ifdef KIND_GPU
#define DRAWS 1    // on GPUs other work-items hide the latency
#else
#define DRAWS 16
#endif
#endif

#define NEVER 0x7FFFFFFF

// The vertex whose block of slots contains this one: the last one whose block begins at or before it.
static inline int block_of(OFFSET slot, int n, __global const OFFSET *row_ptr)
{
    int low = 0, high = n - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (slot_of(middle, row_ptr[middle]) - 2 <= slot)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

#ifndef RUNS

// first_arc() of vertex[k] in the row start[k] .. stop[k] - 1, for all k: the binary searches advance side by side.
static inline void far_arcs(const int count, const int *vertex, const OFFSET *start, const OFFSET *stop, OFFSET *found,
                            __global const int *col_idx)
{
#if FAR_SCAN || DRAWS == 1
    for (int k = 0; k < count; k++)
        found[k] = first_arc(col_idx, start[k], stop[k], vertex[k]);
#else
    OFFSET left[DRAWS], longest = 0;
    for (int k = 0; k < count; k++) {
        found[k] = start[k];
        left[k] = stop[k] - start[k];
        longest = max(longest, left[k]);
    }
    for (; longest > 1; longest -= longest / 2)
        for (int k = 0; k < count; k++) {
            const OFFSET middle = left[k] / 2;
            const OFFSET at = found[k] + middle - (middle > 0);
            found[k] += middle & -(OFFSET)(at < stop[k] && col_idx[at] < vertex[k]);
            left[k] -= middle;
        }
    for (int k = 0; k < count; k++)
        found[k] += left[k] == 1 && col_idx[found[k]] < vertex[k];
#endif
}

__kernel void draw_clear(const long slots, __global int *restrict first)
{
    FOR_ITEMS_LONG(s, slots)
        first[s] = NEVER;
}

__kernel void draw_edges(const int begin, const int end, const ulong seed, const int step, const ulong threshold,
                         const int n, const long slots,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global const int *restrict edges, __global int *restrict drawn_vertex,
                         __global OFFSET *restrict drawn_slot, __global OFFSET *restrict drawn_far,
                         volatile __global int *first)
{
    const int mine = (int)min((long)begin + (long)get_global_id(0) * ITEMS, (long)end);
    const int last = (int)min((long)mine + ITEMS, (long)end);
    for (int i = mine; i < last; i += DRAWS) {
        const int count = min(DRAWS, last - i);
        int vertex[DRAWS], head[DRAWS], degree[DRAWS];
        ulong pick[DRAWS];
        OFFSET slot[DRAWS], start[DRAWS], stop[DRAWS];
        // each step for all draws before the next step, so that their loads overlap
        for (int k = 0; k < count; k++) {
            const philox4x32_ctr_t x = keyed_words(seed, step, i + k, 0, TAG_DRAW);
            const ulong bits = keyed_join(x.v[0], x.v[1]);
            slot[k] = -1;
            degree[k] = 0;
            pick[k] = keyed_join(x.v[2], x.v[3]);
            vertex[k] = keyed_below(bits, n);
#if HYBRID
            const philox4x32_ctr_t coin = keyed_words(seed, step, i + k, 1, TAG_DRAW);
            degree[k] = -(keyed_join(coin.v[0], coin.v[1]) >= threshold);
            if (degree[k] < 0) {
                const OFFSET hit = (OFFSET)mul_hi(bits, (ulong)slots);
                vertex[k] = block_of(hit, n, row_ptr);
                // a block's second header, the vertex's own number, looks like a neighbour
                if (edges[hit] >= 0 && hit >= slot_of(vertex[k], row_ptr[vertex[k]]))
                    slot[k] = hit;
            }
#endif
        }
        for (int k = 0; k < count; k++) {
            start[k] = slot_of(vertex[k], row_ptr[vertex[k]]);   // a removed vertex has no live slot: no need to check
            stop[k] = slot_of(vertex[k], row_ptr[vertex[k] + 1]);
        }
#if HYBRID
        for (int k = 0; k < count; k++)
            if (degree[k] < 0)
                stop[k] = start[k];    // its slot has been chosen already, or was a miss
#endif
        for (int k = 0; k < count; k++)
            for (OFFSET s = start[k]; s < stop[k]; s++)
                degree[k] += edges[s] >= 0;
        for (int k = 0; k < count; k++)
            if (degree[k] > 0) {
                int left = keyed_below(pick[k], degree[k]);
                OFFSET s = start[k];
                while (edges[s] < 0 || left-- > 0)
                    s++;
                slot[k] = s;
            }
        for (int k = 0; k < count; k++) {
            head[k] = slot[k] < 0 ? vertex[k] : edges[slot[k]];
            start[k] = row_ptr[head[k]];
            stop[k] = row_ptr[head[k] + 1];
        }
        OFFSET other[DRAWS];
        far_arcs(count, vertex, start, stop, other, col_idx);
        for (int k = 0; k < count; k++) {
            const int v = vertex[k];
            other[k] = slot[k] < 0 ? -1
                                   : slot_of(head[k], other[k] + copy_rank(row_ptr, col_idx, v,
                                                                           slot[k] - 2 * ((OFFSET)v + 1)));
            drawn_vertex[i + k] = v;
            drawn_slot[i + k] = slot[k];
            drawn_far[i + k] = other[k];
        }
        // read before the atomics, which on a CPU wait for all earlier loads and stores. Stale values are harmless: the
        // words only fall, so if an earlier draw is seen nothing needs to be stored, and else the minimum is taken.
        int seen[DRAWS];
        for (int k = 0; k < count; k++)
            seen[k] = slot[k] < 0 ? -1 : SHARED_LOAD(&first[min(slot[k], other[k])]);
        for (int k = 0; k < count; k++)
            if (seen[k] > i + k)
                atomic_min(&first[min(slot[k], other[k])], i + k);
    }
}

// Keeps the first draw of each edge and counts what is left by blocks of BLOCK draws.
__kernel void draw_distinct(const int begin, const int end, __global OFFSET *restrict drawn_slot,
                            __global const OFFSET *restrict drawn_far, __global const int *restrict first,
                            __global int *restrict block_count)
{
    const int block = get_global_id(0);
    const int from = begin + block * BLOCK;
    if (from < end) {
        int count = 0;
        for (int i = from; i < min(from + BLOCK, end); i++)
            if (drawn_slot[i] >= 0) {
                if (first[min(drawn_slot[i], drawn_far[i])] == i)
                    count++;
                else
                    drawn_slot[i] = -1;
            }
        block_count[block] = count;
    }
}

// Clears `first` for the next batch; the first draw of each edge clears its entry.
__kernel void draw_forget(const int end, __global const OFFSET *restrict drawn_slot,
                          __global const OFFSET *restrict drawn_far, __global int *restrict first)
{
    FOR_ITEMS(i, end)
        if (drawn_slot[i] >= 0)
            first[min(drawn_slot[i], drawn_far[i])] = NEVER;
}

#else

#include "sampling/runs.h"
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

// The edge that draw i hits, -1 if none. Stale states are harmless: in this phase none becomes GONE.
static inline int hit(const ulong seed, const uint step, const uint i, const ulong threshold, const int n,
                      const ulong slots, __global const OFFSET *row_ptr, __global const int *edge,
                      __global int *state)
{
    const philox4x32_ctr_t x = keyed_words(seed, step, i, 0, TAG_DRAW);
#if HYBRID
    if (keyed_a(keyed_words(seed, step, i, 1, TAG_DRAW)) >= threshold) {
        const OFFSET slot = (OFFSET)mul_hi(keyed_a(x), slots);
        const int v = block_of(slot, n, row_ptr);
        const OFFSET p = slot - slot_of(v, 0);   // before the row: a header
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

#endif
