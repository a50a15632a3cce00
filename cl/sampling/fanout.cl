// sampling/fanout.cl: layered neighbours of seeds (Hamilton, Ying, Leskovec: GraphSAGE, NIPS 2017), many batches at once.
//
// A hop takes the vertices that the hop before has reached (at first the seeds), draws arcs of each one's row, and numbers
// the ends that its tree does not have yet in the order in which they were drawn. A tree is what has one numbering of its
// vertices: a batch, or with DISJOINT each seed.
//
// vertex, tree, position   int[entries]   the `known` vertices of all trees, hop by hop, the last `frontier` of them being the
//                                         frontier; behind them the vertices that the hop draws. position: in the batch
// begin                    long[frontier + 1]   where each frontier vertex's draws begin
// edge, col, row           of each draw: the arc; the positions of the vertex that it was drawn for, and of its other end
//                          (without RELABEL their numbers)
// sums, some               WEIGHTED: ulong[arcs], running sums of a row's integer weights; int[n], arcs that weigh something
// shift                    long[batches] or NULL: of the last hop, how much further on in the result each batch's draws are
// table                    int[slots]     open addressing, EMPTY or an entry: in the end the first one of its vertex and tree.
//                                         Keys need 64 bits, entries 32: no 64-bit atomics are needed
// table_begin              uint[batches + 1]   where each batch's slots begin
//
// keys       draw i of a vertex in a hop belongs to (seed + batch; vertex, root, hop << 16 | i / 2), word a or b of it; root is
//            0, or with DISJOINT 1 + the seed's place in its batch. WEIGHTED: to (...; hop << 16 | i), word a, and b where the
//            arc of word a has been drawn
// launch     padded ranges, ITEMS frontier vertices, entries or draws each
// tunables   ITEMS: 1 on GPUs, tens on CPUs; REPLACE, WEIGHTED, DISJOINT, MAPPED, RELABEL

#include "keyed.h"

#define TAG_NEIGHBOR 40u
#define TAG_HEAVY 43u
#define EMPTY 0x7FFFFFFF

// Rows, their arcs and a table's slots lie far apart: a CPU's cores are told AHEAD entries before what they are going to read.
#define AHEAD 8

// The batch of a tree; whether an entry of the same batch is in a tree.
#ifdef DISJOINT
#define BATCH_OF(t) batch_of[t]
#define SAME_TREE(e, t) (tree[e] == (t))
#define ROOT_OF(t, b) (uint)((t) - seed_begin[b] + 1)
#else
#define BATCH_OF(t) (t)
#define SAME_TREE(e, t) 1
#define ROOT_OF(t, b) 0u
#endif

// Copies the known vertices into longer arrays; next_position may be NULL.
__kernel void fanout_extend(const int known, __global const int *restrict vertex, __global const int *restrict tree,
                            __global const int *restrict position, __global int *restrict next_vertex,
                            __global int *restrict next_tree, __global int *restrict next_position)
{
    FOR_ITEMS(i, known) {
        next_vertex[i] = vertex[i];
        next_tree[i] = tree[i];
        if (next_position)
            next_position[i] = position[i];
    }
}

// How many arcs of a row are drawn. Negative fan-outs take all.
__kernel void fanout_count(const int frontier, const int known, const int fanout, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict some, __global const int *restrict vertex,
                           __global int *restrict count)
{
    FOR_ITEMS(i, frontier) {
        const int v = vertex[known - frontier + i];
#ifdef WEIGHTED
        const OFFSET degree = some[v];
#else
        const OFFSET degree = row_ptr[v + 1] - row_ptr[v];
#endif
#ifdef REPLACE
        count[i] = fanout < 0 ? (int)degree : degree > 0 ? fanout : 0;
#else
        count[i] = fanout < 0 ? (int)degree : (int)min(degree, (OFFSET)fanout);
#endif
    }
}

#ifdef WEIGHTED
static inline ulong weight_of(const long arc, const long begins, __global const ulong *sums)
{
    return sums[arc] - (arc > begins ? sums[arc - 1] : 0);
}

// The arc of a row at which the running sums exceed y. Those of the `taken` arcs, and what they weigh, do not count.
static inline long heavy_arc(const ulong y, const long begins, const int degree, const int taken,
                             __global const long *drawn, __global const ulong *sums)
{
    long low = begins, high = begins + degree - 1;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        ulong sum = sums[middle];
        for (int j = 0; j < taken; j++)
            if (drawn[j] <= middle)
                sum -= weight_of(drawn[j], begins, sums);
        if (sum <= y)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
#endif

// Draws arcs: with REPLACE each from the whole row; else by Floyd's method (Bentley, Floyd, CACM 30(9), 1987), by which every
// subset is alike: draw i is from the first degree - fanout + i + 1 arcs, and if that one has been drawn, the last of these
// is taken, which cannot have been. WEIGHTED: draw i is in proportion to the weights of all arcs of the row; without REPLACE, if
// that arc has been drawn, it is in proportion to the weights of the arcs that have not, which is the law of both. With MAPPED
// the rows are those of the reverse, and `forward` has their arcs' places in the graph. Loads of `col_idx` have a loop of
// their own, where they do not wait for each other: that saves a third of the time on CPUs.
__kernel void fanout_draw(const int frontier, const int known, const int fanout, const uint hop, const ulong seed,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const OFFSET *restrict forward,
                          __global const ulong *restrict sums, __global const int *restrict some,
                          __global const int *restrict batch_of, __global const int *restrict seed_begin,
                          __global const long *restrict begin, __global const int *restrict position,
                          __global const long *restrict shift, __global int *vertex, __global int *tree,
                          __global long *edge, __global int *restrict row, __global int *restrict col, const int listed)
{
    FOR_ITEMS(i, frontier) {
        const int at = known - frontier + i, v = vertex[at], t = tree[at], b = BATCH_OF(t);
        PREFETCH(row_ptr + vertex[min(at + AHEAD, known - 1)]);
        const uint root = ROOT_OF(t, b);
        const long begins = row_ptr[v], first = begin[i], to = first + (shift ? shift[b] : 0);
        const int many = (int)(begin[i + 1] - first), degree = (int)(row_ptr[v + 1] - begins);
#if defined(REPLACE)
        const int drawn = fanout >= 0;
#elif defined(WEIGHTED)
        const int drawn = many < some[v];
#else
        const int drawn = many < degree;   // else the whole row is taken, in its order
#endif
#ifdef WEIGHTED
        const ulong whole = degree > 0 ? sums[begins + degree - 1] : 0;
        ulong taken = 0;
        long next = begins;
#else
        philox4x32_ctr_t x;
#endif
        for (int j = 0; j < many; j++) {
#ifdef WEIGHTED
            long arc = next;
            if (drawn) {
                const philox4x32_ctr_t x =
                    keyed_words(seed + (ulong)b, (uint)v, root, hop << 16 | (uint)j, TAG_HEAVY);
                arc = heavy_arc(mul_hi(keyed_a(x), whole), begins, degree, 0, edge + to, sums);
#ifndef REPLACE
                for (int earlier = 0; earlier < j; earlier++)
                    if (edge[to + earlier] == arc) {
                        arc = heavy_arc(mul_hi(keyed_b(x), whole - taken), begins, degree, j, edge + to, sums);
                        break;
                    }
                taken += weight_of(arc, begins, sums);
#endif
            } else {
                while (weight_of(arc, begins, sums) == 0)
                    arc++;
                next = arc + 1;
            }
#else
            long arc = begins + j;
            if (drawn) {
                if (!(j & 1))
                    x = keyed_words(seed + (ulong)b, (uint)v, root, hop << 16 | (uint)j >> 1, TAG_NEIGHBOR);
                const ulong bits = j & 1 ? keyed_b(x) : keyed_a(x);
#ifdef REPLACE
                arc = begins + keyed_below(bits, (uint)degree);
#else
                const int last = degree - many + j;
                arc = begins + keyed_below(bits, (uint)last + 1u);
                int twice = 0;
                for (int earlier = 0; earlier < j; earlier++)
                    twice |= edge[to + earlier] == arc;
                arc = twice ? begins + last : arc;
#endif
            }
#endif
            edge[to + j] = arc;
            PREFETCH(col_idx + arc);
#ifdef MAPPED
            PREFETCH(forward + arc);
#endif
        }
#ifdef RELABEL
        const int p = position[at];
#endif
        for (int j = 0; j < many; j++) {
            const long arc = edge[to + j];
            const int u = col_idx[arc];
#ifdef MAPPED
            edge[to + j] = forward[arc];
#endif
#ifdef RELABEL
            col[to + j] = p;
#else
            col[to + j] = v;
            row[to + j] = u;
#endif
            if (listed) {
                vertex[known + first + j] = u;
                tree[known + first + j] = t;
            }
        }
    }
}

static inline uint hash(uint v, uint t)
{
    uint x = v * 0x9E3779B1u ^ (t + 0x7F4A7C15u) * 0x85EBCA6Bu;
    x = (x ^ x >> 15) * 0x2C1B3C6Du;
    return x ^ x >> 13;
}

static inline uint first_slot(const int v, const int t, const uint begins, const uint ends)
{
    return begins + (uint)((ulong)hash((uint)v, (uint)t) * (ends - begins) >> 32);
}

// Finds each entry's slot, among those of its batch, which fit a core's cache. A slot, once taken, keeps its vertex and tree: a
// stale entry in it leads to the same slot, and a slot that looks empty and is not is found out by the exchange.
__kernel void fanout_insert(const int entries, __global const int *restrict batch_of,
                            __global const uint *restrict table_begin, __global const int *restrict vertex,
                            __global const int *restrict tree, volatile __global int *table, __global uint *restrict slot)
{
    FOR_ITEMS(e, entries) {
        const int v = vertex[e], t = tree[e], b = BATCH_OF(t), soon = min(e + AHEAD, entries - 1);
        const uint begins = table_begin[b], ends = table_begin[b + 1];
        uint at = first_slot(v, t, begins, ends);
        PREFETCH(table + first_slot(vertex[soon], tree[soon], begins, ends));   // mostly of the same batch
        for (;;) {
            int found = SHARED_LOAD(&table[at]);
            if (found == EMPTY)
                found = atomic_cmpxchg(&table[at], EMPTY, e);
            if (found == EMPTY)
                break;
            if (vertex[found] == v && SAME_TREE(found, t)) {
                if (e < found)
                    atomic_min(&table[at], e);
                break;
            }
            if (++at == ends)
                at = begins;
        }
        slot[e] = at;
    }
}

// Which draws are the first of their vertex in their tree.
__kernel void fanout_first(const int draws, const int known, __global const int *restrict table,
                           __global const uint *restrict slot, __global uchar *restrict fresh)
{
    FOR_ITEMS(e, draws)
        fresh[e] = table[slot[known + e]] == known + e;
}

// Where each batch's draws begin; the last is their number.
__kernel void fanout_bounds(const int batches, __global const int *restrict frontier_begin,
                            __global const long *restrict begin, __global long *restrict bounds)
{
    FOR_ITEMS(b, batches + 1)
        bounds[b] = begin[frontier_begin[b]];
}

// Where each batch's new vertices begin; the last is their number.
__kernel void fanout_new(const int batches, __global const long *restrict bounds, __global const int *restrict place,
                         __global int *restrict new_begin)
{
    FOR_ITEMS(b, batches + 1)
        new_begin[b] = place[bounds[b]];
}

// Numbers the new vertices, and gives each draw the position of its vertex (RELABEL). reached: the vertices of each batch so
// far.
__kernel void fanout_number(const int draws, const int known, __global const int *restrict batch_of,
                            __global const int *restrict vertex, __global const int *restrict tree,
                            __global const int *restrict position, __global const int *restrict table,
                            __global const uint *restrict slot, __global const int *restrict place,
                            __global const int *restrict new_begin, __global const int *restrict reached,
                            __global const long *restrict shift, __global int *restrict row,
                            __global int *restrict next_vertex, __global int *restrict next_tree,
                            __global int *restrict next_position)
{
    FOR_ITEMS(e, draws) {
        const int t = tree[known + e], b = BATCH_OF(t), first = table[slot[known + e]];
        int at;
        PREFETCH(table + slot[known + min(e + AHEAD, draws - 1)]);
        if (first < known)
            at = position[first];
        else
            at = reached[b] + place[first - known] - new_begin[b];
#ifdef RELABEL
        row[e + (shift ? shift[b] : 0)] = at;
#endif
        if (first == known + e) {
            const int next = known + place[e];
            next_vertex[next] = vertex[known + e];
            next_tree[next] = t;
            next_position[next] = at;
        }
    }
}

// Puts the draws of a hop where the result has them: batch by batch, in each hop by hop. `first`: where those of a batch go.
__kernel void fanout_edges(const int draws, const int batches, __global const long *restrict bounds,
                           __global const long *restrict first, __global const int *restrict row,
                           __global const int *restrict col, __global const long *restrict edge,
                           __global int *restrict out_row, __global int *restrict out_col, __global long *restrict out_edge)
{
    FOR_ITEMS(e, draws) {
        int low = 0, high = batches - 1;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (bounds[middle + 1] <= e)
                low = middle + 1;
            else
                high = middle;
        }
        const long to = first[low] + e - bounds[low];
        out_row[to] = row[e];
        out_col[to] = col[e];
        out_edge[to] = edge[e];
    }
}

// The same for the vertices. out_root: the place of each one's seed, or NULL.
__kernel void fanout_vertices(const int known, __global const int *restrict batch_of,
                              __global const int *restrict seed_begin, __global const long *restrict first,
                              __global const int *restrict vertex, __global const int *restrict tree,
                              __global const int *restrict position, __global int *restrict out_vertex,
                              __global int *restrict out_root)
{
    FOR_ITEMS(i, known) {
        const int t = tree[i], b = BATCH_OF(t);
        out_vertex[first[b] + position[i]] = vertex[i];
        if (out_root)
            out_root[first[b] + position[i]] = t - seed_begin[b];
    }
}
