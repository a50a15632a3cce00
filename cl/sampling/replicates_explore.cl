// sampling/replicates_explore.cl: breadth-first samples (ebfs) of one graph under many seeds, a run a work-item.
//
// A run goes from its start level by level; the level in which a target ends is put in order of the vertices' keyed
// priorities (cl/sampling/explore.cl selects instead, for one run on all units). Each run is serial: many of them fill a
// device, and none of them waits for another.
//
// inside int[whole]  the vertices of the input's largest component, ascending: one of them is the start (`given`, if it
//                    is no -1)
// target int[]       sizes wanted, decreasing
// area int[]         6n ints a work-item: key ulong[n]; end int[n]; queue int[n]; seen int[n]; sorted int[n]
// member, count, next, launch   as in sampling/replicates.cl

#include "../keyed.h"
#include "replicates.h"

// Puts names[0 .. count-1], vertices, in order of their priorities; equal ones by vertex.
static inline void sort_names(__global int *names, const int count, const ulong seed, __global ulong *key,
                              __global int *end, __global int *sorted)
{
    int bits = 1;
    while (2 << bits <= count)
        ++bits;
    const int shift = 64 - bits;
    for (int b = 0; b < 1 << bits; ++b)
        end[b] = 0;
    for (int i = 0; i < count; ++i) {
        key[names[i]] = vertex_priority(seed, names[i]);
        ++end[key[names[i]] >> shift];
    }
    sort_places(1 << bits, end);
    for (int i = 0; i < count; ++i)
        sorted[end[key[names[i]] >> shift]++] = names[i];
    sort_buckets(1 << bits, end, sorted, key);
    for (int i = 0; i < count; ++i)
        names[i] = sorted[i];
}

__kernel void replicates_breadth(const int n, const ulong seed, const int runs, __global const OFFSET *restrict row_ptr,
                                 __global const int *restrict col_idx, __global const int *restrict inside,
                                 const int whole, const int given, const int targets,
                                 __global const int *restrict target, __global int *area, __global int *next,
                                 __global uint *restrict member, __global int *restrict count)
{
    __global int *mine = area + (size_t)get_global_id(0) * 6 * n;
    __global ulong *key = (__global ulong *)mine;
    __global int *end = mine + 2 * (size_t)n;
    __global int *queue = mine + 3 * (size_t)n;
    __global int *seen = mine + 4 * (size_t)n;
    const int words = (n + 31) / 32;
    for (int run = atomic_inc(next); run < runs; run = atomic_inc(next)) {
        const philox4x32_ctr_t drawn = keyed_words(seed + run, 0, 0, 0, TAG_DRAW);
        const int begin = given >= 0 ? given : inside[keyed_below(keyed_join(drawn.v[0], drawn.v[1]), whole)];
        for (int v = 0; v < n; ++v)
            seen[v] = 0;
        seen[begin] = 1;
        queue[0] = begin;
        int first = 0, last = 1, level = 1;   // the level is queue[first .. last-1]
        for (int k = targets - 1; k >= 0; --k) {
            const int wanted = min(target[k], whole);
            while (last < wanted) {
                int behind = last;
                for (int i = first; i < last; ++i) {
                    const int v = queue[i];
                    for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; ++p) {
                        const int u = col_idx[p];
                        if (seen[u]) continue;
                        seen[u] = 1;
                        queue[behind++] = u;
                    }
                }
                first = last;
                last = behind;
                ++level;
            }
            if (wanted < last) sort_names(queue + first, last - first, seed + run, key, end, mine + 5 * (size_t)n);
            const size_t slot = (size_t)run * targets + k;
            __global uint *in = member + slot * words;
            int arcs = 0;
            for (int w = 0; w < words; ++w)
                in[w] = 0;
            for (int i = 0; i < wanted; ++i)
                in[queue[i] >> 5] |= 1u << (queue[i] & 31);
            for (int i = 0; i < wanted; ++i)
                for (OFFSET p = row_ptr[queue[i]]; p < row_ptr[queue[i] + 1]; ++p)
                    arcs += (in[col_idx[p] >> 5] >> (col_idx[p] & 31)) & 1u;
            count[3 * slot] = wanted;
            count[3 * slot + 1] = arcs / 2;
            count[3 * slot + 2] = level;
        }
        if (run == 0) count[3 * runs * targets] = whole;
    }
}
