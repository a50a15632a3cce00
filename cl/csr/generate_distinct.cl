// csr/generate_distinct.cl: edges that are all different, drawn in rounds. In a round every edge that has no place yet
// draws a pair of ends; of equal pairs the edge that has its place keeps it, else the smallest number gets it. So the
// result is that of drawing one edge after the other and leaving out repeated ones, whatever the device's timing.
//
// uniform    any pair of different vertices (Erdos, Renyi 1959: the graph of n vertices and m edges)
// ranked     both ends in proportion to weights (Goh, Kahng, Kim 2001: the static model)
// ring       Watts, Strogatz (1998): edge i joins i / half and the vertex i % half + 1 further on; in round 0 those
//            that stay take their places, and from then on the others draw new heads
//
// tail, head int[count]   ends of edge i, equal where the draw is void
// placed uchar[count]     1: edge i has its place
// table int[mask + 1]     see pairs.h
// launch                  padded range, ITEMS consecutive edges per work-item
//
// No a % b beside a / b: compilers then make an instruction (freeze) that Oclgrind does not know.

#include "keyed.h"
#include "pairs.h"
#include "ranks.h"

__kernel void distinct_uniform(const int count, const ulong seed, const uint round, const uint n,
                               __global const uchar *restrict placed, __global int *restrict tail,
                               __global int *restrict head)
{
    FOR_ITEMS(i, count) {
        if (placed[i])
            continue;
        const philox4x32_ctr_t x = keyed_words(seed, (uint)i, round, 0, TAG_MODEL);
        const uint u = keyed_below(keyed_a(x), n), v = keyed_below(keyed_b(x), n - 1);
        tail[i] = (int)u;
        head[i] = (int)(v + (v >= u));
    }
}

__kernel void distinct_ranked(const int count, const ulong seed, const uint round, const uint n, const uint stride,
                              __global const int *restrict guide, __global const uint *restrict thresholds,
                              __global const int *restrict bounds, __global const uchar *restrict placed,
                              __global int *restrict tail, __global int *restrict head)
{
    FOR_ITEMS(i, count) {
        if (placed[i])
            continue;
        const philox4x32_ctr_t x = keyed_words(seed, (uint)i, round, 0, TAG_MODEL);
        tail[i] = ranked_vertex(x.v[1], x.v[0], n, stride, guide, thresholds, bounds);
        head[i] = ranked_vertex(x.v[3], x.v[2], n, stride, guide, thresholds, bounds);
    }
}

// rewired: a word below it means that the edge is rewired; it may be 2^32.
__kernel void distinct_ring(const int count, const ulong seed, const uint round, const uint n, const int half_degree,
                            const ulong rewired, __global const uchar *restrict placed, __global int *restrict tail,
                            __global int *restrict head)
{
    FOR_ITEMS(i, count) {
        if (placed[i])
            continue;
        const philox4x32_ctr_t x = keyed_words(seed, (uint)i, round, 0, TAG_MODEL);
        const uint v = (uint)(i / half_degree);
        uint w = v;
        if (round) {
            w = keyed_below(keyed_a(x), n - 1);
            w += w >= v;
        } else if (x.v[0] >= rewired)
            w = (uint)(((ulong)v + (i - (int)v * half_degree) + 1) % n);
        tail[i] = (int)v;
        head[i] = (int)w;
    }
}

__kernel void distinct_enter(const int count, __global const int *restrict tail, __global const int *restrict head,
                             __global const uchar *restrict placed, __global int *restrict table, const uint mask)
{
    FOR_ITEMS(i, count)
        if (!placed[i] && tail[i] != head[i])
            pair_enter(i, tail, head, placed, table, mask);
}

__kernel void distinct_place(const int count, __global const int *restrict tail, __global const int *restrict head,
                             __global const int *restrict table, const uint mask, __global uchar *restrict placed,
                             __global int *restrict left)
{
    int without = 0;
    FOR_ITEMS(i, count)
        if (!placed[i]) {
            const bool mine = tail[i] != head[i] && pair_find(tail[i], head[i], tail, head, table, mask) == i;
            placed[i] = mine;
            without += !mine;
        }
    if (without)
        atomic_add(left, without);
}

// What has no place becomes a loop, which the building of rows leaves out.
__kernel void distinct_drop(const int count, __global const uchar *restrict placed, __global int *restrict tail,
                            __global int *restrict head)
{
    FOR_ITEMS(i, count)
        if (!placed[i])
            tail[i] = head[i] = 0;
}

// The pairs that are not in the table: pair p joins p % ring and the vertex p / ring further on a ring of an odd number
// of vertices; where n is even, the last vertex stands outside of the ring, as everybody's vertex 0 further on.
__kernel void distinct_others(const long pairs, const uint n, __global const int *restrict tail,
                              __global const int *restrict head, __global const int *restrict table, const uint mask,
                              __global int *restrict other_tail, __global int *restrict other_head)
{
    const uint ring = n - 1 + (n & 1);
    FOR_ITEMS_LONG(p, pairs) {
        const long lap = p / ring;
        const uint v = (uint)(p - lap * ring), step = (uint)lap + (n & 1);
        const uint w = step ? (uint)(((ulong)v + step) % ring) : n - 1;
        const bool taken = pair_find((int)v, (int)w, tail, head, table, mask) >= 0;
        other_tail[p] = (int)v;
        other_head[p] = (int)(taken ? v : w);
    }
}
