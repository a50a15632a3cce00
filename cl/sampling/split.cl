// sampling/split.cl: edges held out for link prediction, and negatives: pairs of vertices that no edge joins.
//
// An edge is a pair of vertices here: of a directed graph u -> v and v -> u are one. The first arc of the pair, which is
// low -> high if that is there, stands for it. Edges of the smallest keys (smallest.cl) are held out, those of the priority
// forest (shards/forest.cl) never.
//
// key          ulong[arcs]   edge_priority of arcs that stand for an edge, NONE for others and those of the forest
// part         uchar[arcs]   0 training, 1 validation, 2 test
// pairs        ulong[entries]   negatives u << 32 | v: the `known` first ones, distinct; behind them candidates, NONE where a
//                            draw gave a loop or an edge
// table        int[slots]    open addressing, EMPTY or an entry: in the end the first one of its pair
// before       long[n + 1]   of the uniform law: vertices that a vertex has no arc to (undirected: larger ones), summed up
//
// keys         candidate i belongs to (seed; i): of the uniform law word a says which of all pairs without an edge, of the
//              other one word a says of which arc the tail, and word b of which the head is taken
// launch       padded ranges: RUN arcs (csr/arcs.h), or ITEMS vertices, entries or candidates each
// tunables     RUN, ITEMS; ITEM, the type of an arc's place in a list; DIRECTED; BY_DEGREE (the law of negatives)

#include "keyed.h"
#include "lists.h"
#include "csr/arcs.h"

#define TAG_NEGATIVE 42u
#define NONE 0xFFFFFFFFFFFFFFFFUL
#define EMPTY 0x7FFFFFFF

#ifndef ITEM
#define ITEM int   // the place of an arc
#endif

// Where the arc tail -> head is, or -1.
static inline long arc_of(__global const OFFSET *row_ptr, __global const int *col_idx, const int tail,
                          const int head)
{
    const OFFSET end = row_ptr[tail + 1], at = search_from(row_ptr[tail], end, head, col_idx);
    return at < end && col_idx[at] == head ? (long)at : -1;
}

// Keys of all arcs; stands: 1 for those that stand for an edge.
__kernel void split_keys(const int n, const long arcs, const ulong seed, __global const OFFSET *restrict row_ptr,
                         __global const int *restrict col_idx, __global ulong *restrict key,
                         __global uchar *restrict stands)
{
    int u = -1;
    FOR_RUN(e, arcs) {
        u = row_after(e, u, n, row_ptr);
        const int v = col_idx[e];
#ifdef DIRECTED
        const int first = u < v || (u > v && arc_of(row_ptr, col_idx, v, u) < 0);
#else
        const int first = u < v;
#endif
        key[e] = first ? edge_priority(seed, (uint)min(u, v), (uint)max(u, v), 0) : NONE;
        stands[e] = first;
    }
}

// Takes the keys of the forest's edges away. words: low << 32 | high, 0 for none; there: 1 for each edge.
__kernel void split_forest(const int n, __global const ulong *restrict words, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col_idx, __global ulong *restrict key,
                           __global uchar *restrict there)
{
    FOR_ITEMS(i, n) {
        const ulong word = words[i];
        if (word != 0) {
            const int low = (int)(word >> 32), high = (int)(word & 0xFFFFFFFFUL);
            long at = arc_of(row_ptr, col_idx, low, high);
#ifdef DIRECTED
            if (at < 0)
                at = arc_of(row_ptr, col_idx, high, low);
#endif
            key[at] = NONE;
        }
        there[i] = word != 0;
    }
}

// Puts both arcs of each listed edge into a part, and takes its key away.
__kernel void split_mark(const long count, const int n, const int into, __global const ITEM *restrict list,
                         __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global ulong *restrict key, __global uchar *restrict part)
{
    FOR_ITEMS_LONG(i, count) {
        const long e = list[i];
        const int u = row_of(e, 0, n, row_ptr);
        const long back = arc_of(row_ptr, col_idx, col_idx[e], u);
        key[e] = NONE;
        part[e] = (uchar)into;
        if (back >= 0)
            part[back] = (uchar)into;
    }
}

// Arcs that a part lists: of an undirected edge the one to the larger vertex, no loops.
__kernel void split_of_part(const int n, const long arcs, const int which, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col_idx, __global const uchar *restrict part,
                            __global uchar *restrict listed)
{
    int u = -1;
    FOR_RUN(e, arcs) {
        u = row_after(e, u, n, row_ptr);
#ifdef DIRECTED
        listed[e] = part[e] == which && col_idx[e] != u;
#else
        listed[e] = part[e] == which && col_idx[e] > u;
#endif
    }
}

// Writes down the arcs that are listed, and their ends: tails first, then heads.
__kernel void split_list(const int n, const long arcs, const long count, __global const OFFSET *restrict row_ptr,
                         __global const int *restrict col_idx, __global const uchar *restrict listed,
                         __global const long *restrict place, __global long *restrict arc, __global int *restrict ends)
{
    int u = -1;
    FOR_RUN(e, arcs) {
        u = row_after(e, u, n, row_ptr);
        if (listed[e]) {
            arc[place[e]] = e;
            ends[place[e]] = u;
            ends[count + place[e]] = col_idx[e];
        }
    }
}

// 1 for arcs of the training part.
__kernel void split_train(const long arcs, __global const uchar *restrict part, __global uchar *restrict stays)
{
    FOR_RUN(e, arcs)
        stays[e] = part[e] == 0;
}

// --- negatives ---

// To how many vertices each one has no arc; of an undirected graph larger ones count.
__kernel void split_missing(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global int *restrict missing)
{
    FOR_ITEMS(u, n) {
        const OFFSET begin = row_ptr[u], end = row_ptr[u + 1];
#ifdef DIRECTED
        missing[u] = n - (int)(end - begin) - (arc_of(row_ptr, col_idx, u, u) < 0);
#else
        missing[u] = n - 1 - u - (int)(end - search_from(begin, end, u + 1, col_idx));
#endif
    }
}

// The r-th pair, by tail and then by head, that no arc joins.
static inline ulong pair_of(const long r, const int n, __global const long *before,
                            __global const OFFSET *row_ptr, __global const int *col_idx)
{
    int u = 0, last = n - 1;
    while (u < last) {
        const int middle = u + (last - u) / 2;
        if (before[middle + 1] <= r)
            u = middle + 1;
        else
            last = middle;
    }
    int rest = (int)(r - before[u]);
    OFFSET begin = row_ptr[u];
    const OFFSET end = row_ptr[u + 1];
    int base = 0;
#ifdef DIRECTED
    // u itself is missing like the others, unless it has a loop, and does not count
    const OFFSET own = search_from(begin, end, u, col_idx);
    if ((own == end || col_idx[own] != u) && rest >= u - (int)(own - begin))
        rest++;
#else
    begin = search_from(begin, end, u + 1, col_idx);
    base = u + 1;
#endif
    // before place p of the row, col_idx[p] - base - (p - begin) vertices are missing, which never falls
    OFFSET low = begin, high = end;
    while (low < high) {
        const OFFSET middle = low + (high - low) / 2;
        if (col_idx[middle] - base - (int)(middle - begin) <= rest)
            low = middle + 1;
        else
            high = middle;
    }
    return (ulong)u << 32 | (uint)(base + rest + (int)(low - begin));
}

// Candidates from number `first` on, behind the known pairs. all: arcs, or pairs without an edge.
__kernel void split_draw(const int known, const int draws, const int n, const ulong first, const ulong all,
                         const ulong seed, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global const long *restrict before, __global ulong *restrict pairs)
{
    FOR_ITEMS(i, draws) {
        const ulong number = first + (ulong)i;
        const philox4x32_ctr_t x = keyed_words(seed, (uint)number, (uint)(number >> 32), 0, TAG_NEGATIVE);
        const long r = (long)mul_hi(keyed_a(x), all);
#ifdef BY_DEGREE
        int u = row_of(r, 0, n, row_ptr), v = col_idx[mul_hi(keyed_b(x), all)];
#ifndef DIRECTED
        const int low = min(u, v);
        v = max(u, v);
        u = low;
#endif
        pairs[known + i] = u == v || arc_of(row_ptr, col_idx, u, v) >= 0 ? NONE : (ulong)u << 32 | (uint)v;
#else
        pairs[known + i] = pair_of(r, n, before, row_ptr, col_idx);
#endif
    }
}

// Finds each entry's slot. A slot, once taken, keeps its pair: a stale entry in it leads to the same slot, and a slot that
// looks empty and is not is found out by the exchange.
__kernel void split_insert(const int entries, const uint mask, __global const ulong *restrict pairs,
                           volatile __global int *table, __global uint *restrict slot)
{
    FOR_ITEMS(e, entries) {
        const ulong pair = pairs[e];
        const ulong x = (pair ^ pair >> 32) * 0x9E3779B97F4A7C15UL;
        uint at = (uint)(x >> 32) & mask;
        for (; pair != NONE; at = (at + 1u) & mask) {
            int found = SHARED_LOAD(&table[at]);
            if (found == EMPTY)
                found = atomic_cmpxchg(&table[at], EMPTY, e);
            if (found == EMPTY)
                break;
            if (pairs[found] == pair) {
                if (e < found)
                    atomic_min(&table[at], e);
                break;
            }
        }
        slot[e] = at;
    }
}

// Which candidates are the first of their pair.
__kernel void split_first(const int known, const int draws, __global const ulong *restrict pairs,
                          __global const int *restrict table, __global const uint *restrict slot,
                          __global uchar *restrict fresh)
{
    FOR_ITEMS(i, draws)
        fresh[i] = pairs[known + i] != NONE && table[slot[known + i]] == known + i;
}

// The known pairs and the new ones, `most` in all.
__kernel void split_keep(const int known, const int draws, const int most, __global const ulong *restrict pairs,
                         __global const uchar *restrict fresh, __global const int *restrict place,
                         __global ulong *restrict kept)
{
    FOR_ITEMS(e, known + draws) {
        if (e < known)
            kept[e] = pairs[e];
        else if (fresh[e - known] && known + place[e - known] < most)
            kept[known + place[e - known]] = pairs[e];
    }
}

// The known pairs, in an array with room for more.
__kernel void split_extend(const int known, __global const ulong *restrict kept, __global ulong *restrict pairs)
{
    FOR_ITEMS(e, known)
        pairs[e] = kept[e];
}

// The ends of some pairs: first those at the smaller place of the pair, then the others.
__kernel void split_ends(const int begin, const int count, __global const ulong *restrict pairs, __global int *restrict ends)
{
    FOR_ITEMS(i, count) {
        ends[i] = (int)(pairs[begin + i] >> 32);
        ends[count + i] = (int)(pairs[begin + i] & 0xFFFFFFFFUL);
    }
}
