// sampling/shards/extract.cl: the part of a shard that is in a sample: edges among its vertices that live long enough.
//
// member  uint[]   a bit for each vertex of the graph     before  int[]     members before each word of it
// kept    uint[]   a bit for each entry of the shard      start   OFFSET[]  kept entries before each word of it
// launch  padded ranges; a work-item takes ITEMS words (extract_ones, extract_mark), entries (extract_place) or rows
// tunables ITEMS; BY_EDGE: edges go by their own time (dre), OFFSET: type of row_ptr; HAS_WEIGHTS, HAS_COUNTS, HAS_WAY
//
// With BY_EDGE an edge (u, v) stays iff (time, u, v), u < v, is above (cut_time, cut_word).

#include "csr/arcs.h"
#include "keyed.h"

#ifndef BY_EDGE
#define BY_EDGE 0
#endif

// Bits set before place i, from the sums before each word.
#define RANK(sums, bits, i) ((sums)[(i) >> 5] + (int)popcount((bits)[(i) >> 5] & ((1u << ((i) & 31)) - 1)))

static inline int is_member(__global const uint *member, uint v)
{
    return member[v >> 5] >> (v & 31) & 1;
}

static inline int stays(__global const uint *member, uint u, uint v, ulong seed, ulong cut_time, ulong cut_word)
{
    if (u == v || !is_member(member, u) || !is_member(member, v))
        return 0;
#if BY_EDGE
    const ulong word = (ulong)min(u, v) << 32 | max(u, v), t = edge_priority(seed, min(u, v), max(u, v), 0);
    return t > cut_time || (t == cut_time && word > cut_word);
#else
    return 1;
#endif
}

__kernel void extract_ones(const int words, __global const uint *restrict member, __global uchar *restrict ones)
{
    FOR_ITEMS(w, words)
        ones[w] = (uchar)popcount(member[w]);
}

// The members, in order.
__kernel void extract_list(const int n, __global const uint *restrict member, __global const int *restrict before,
                           __global int *restrict listed)
{
    FOR_ITEMS(v, n)
        if (is_member(member, (uint)v))
            listed[RANK(before, member, (uint)v)] = v;
}

// Which entries stay, 32 at a time.
__kernel void extract_mark(const long words, const int rows, const int first_row, const long entries, const ulong seed,
                           const ulong cut_time, const ulong cut_word, __global const uint *restrict member,
                           __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                           __global uint *restrict kept, __global uchar *restrict ones)
{
    int row = -1;
    FOR_ITEMS_LONG(w, words) {
        uint bits = 0;
        const long end = min(32 * w + 32, entries);
        for (long p = 32 * w; p < end; p++) {
            row = row_after(p, row, rows, row_ptr);
            if (stays(member, (uint)(first_row + row), (uint)col_idx[p], seed, cut_time, cut_word))
                bits |= 1u << (p & 31);
        }
        kept[w] = bits;
        ones[w] = (uchar)popcount(bits);
    }
}

// What stays, one after the other: new numbers of the heads, and what comes along.
__kernel void extract_place(const long entries, __global const uint *restrict kept, __global const OFFSET *restrict start,
                            __global const uint *restrict member, __global const int *restrict before,
                            __global const int *restrict col_idx, __global int *restrict head,
                            __global const ulong *restrict weights, __global ulong *restrict new_weights,
                            __global const int *restrict multiplicity, __global int *restrict new_multiplicity,
                            __global const uchar *restrict way, __global uchar *restrict new_way)
{
    FOR_ITEMS_LONG(p, entries)
        if (kept[p >> 5] >> (p & 31) & 1) {
            const OFFSET at = RANK(start, kept, p);
            const uint v = (uint)col_idx[p];
            head[at] = RANK(before, member, v);
#if HAS_WEIGHTS
            new_weights[at] = weights[p];   // float64 numbers, copied bit by bit: no device needs to know them
#endif
#if HAS_COUNTS
            new_multiplicity[at] = multiplicity[p];
#endif
#if HAS_WAY
            new_way[at] = way[p];
#endif
        }
}

// Where the rows of the members begin among what stays. `base` members come before the shard's first row.
__kernel void extract_rows(const int rows, const int first_row, const int base, const long entries,
                           __global const uint *restrict kept, __global const OFFSET *restrict start,
                           __global const uint *restrict member, __global const int *restrict before,
                           __global const OFFSET *restrict row_ptr, __global OFFSET *restrict new_ptr)
{
    FOR_ITEMS(r, rows)
        if (is_member(member, (uint)(first_row + r))) {
            const long p = row_ptr[r];
            new_ptr[RANK(before, member, (uint)(first_row + r)) - base] =
                p < entries ? RANK(start, kept, p) : start[(entries + 31) >> 5];
        }
}
