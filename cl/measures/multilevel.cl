// measures/multilevel.cl: communities by moving vertices, level by level: Louvain (Blondel, Guillaume, Lambiotte, Lefebvre:
// Fast unfolding of communities in large networks, J. Stat. Mech., 2008), with integers alone.
//
// A level is a graph of whole weights, each arc with its mirror. A vertex takes the neighbouring community of the largest gain;
// vertices decide slice by slice of a keyed order, all of a slice by the state before it. Gains are compared exactly, in 128 bits:
// moving v into C is worth   weight of v to C * 1024 * total weight   less   1024 * resolution * strength of v * strength of C.
// The next level has a vertex for each community: arcs are sorted by the communities of their ends, and equal ones added up.
//
// row_ptr, col_idx, weight   the level; weight long[arcs], NULL: all are 1. loops 1: a self-loop is stored once, and counts twice
// strength  ulong[n]       weight of a vertex's arcs
// label     int[n]         its community; total ulong[n]: the strength of each community
// order     int[n]         vertices in the order of their keys; NULL: as they are
// target    int[n]         the community that the vertex at a place of the order wants
// keys, sums               int and ulong[2 * arcs]: a row's hash table of neighbouring communities, where its arcs are
// claim     int[n]         the first vertex that wants to leave or enter a community; NULL: all who want may
// within    int[n]         Leiden's refinement (Traag, Waltman, van Eck: From Louvain to Leiden, Scientific Reports 9, 2019):
//                          vertices alone join others of the same community `within`. NULL: none
// members   int[n]         vertices of each community that refinement makes; busy int[n]: the stamp of the slice in which a
//                          vertex alone decides. Nobody joins it then, so that whoever is joined stays: communities are connected
// launch    choose: work-groups of LOCAL, each takes ROWS rows in turn. All others: padded ranges, ITEMS each
// tunables  LOCAL (1 on CPUs: no atomics), ROWS, ITEMS

#include "keyed.h"
#include "measures/wide.h"

#ifndef LOCAL
#define LOCAL 1
#endif
#ifndef ROWS
#define ROWS 1
#endif

// Weight of arc e; a self-loop that is stored once has two ends.
#define WEIGHT(e, v) ((ulong)(weight ? weight[e] : 1) << (loops && col_idx[e] == (v)))

__kernel void multilevel_strength(const int n, const int loops, __global const OFFSET *restrict row_ptr,
                                  __global const int *restrict col_idx, __global const long *restrict weight,
                                  __global ulong *restrict strength)
{
    FOR_ITEMS(v, n) {
        ulong sum = 0;
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++)
            sum += WEIGHT(e, v);
        strength[v] = sum;
    }
}

__kernel void multilevel_alone(const int n, __global int *restrict label)
{
    FOR_ITEMS(v, n) label[v] = v;
}

// The strengths of communities; total is 0 before.
__kernel void multilevel_totals(const int n, __global const int *restrict label, __global const ulong *restrict strength,
                                volatile __global ulong *total)
{
    FOR_ITEMS(v, n) add_wider(&total[label[v]], strength[v]);
}

// The keys that order the vertices in a pass (number) of a stage.
__kernel void multilevel_keys(const int n, const ulong seed, const uint stage, const uint number, __global uint *restrict key)
{
    FOR_ITEMS(v, n) key[v] = (uint)(keyed_a(keyed_words(seed, (uint)v, stage, number, TAG_VERTEX)) >> 48);
}

// Whether community c with a score goes before another one: the higher score, the vertex's own of equals, then the smaller number.
static inline int goes_first(const long high, const ulong low, const int c, const long other_high, const ulong other_low,
                             const int other, const int own)
{
    if (high != other_high)
        return high > other_high;
    if (low != other_low)
        return low > other_low;
    return other != own && (c == own || c < other);
}

// The community that each vertex at begin .. end - 1 of the order wants.
__kernel void multilevel_choose(const int begin, const int end, const ulong whole, const ulong resolution,
                                __global const int *restrict order, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const long *restrict weight,
                                __global const int *restrict label, __global const int *restrict within,
                                __global const int *restrict busy, const int stamp, __global const ulong *restrict strength,
                                __global const ulong *restrict total, volatile __global int *keys,
                                volatile __global ulong *sums, __global int *restrict target)
{
    __local long highs[LOCAL];
    __local ulong lows[LOCAL];
    __local int best[LOCAL];
    const int lane = get_local_id(0);
    const long from = min((long)begin + (long)get_group_id(0) * ROWS, (long)end), to = min(from + ROWS, (long)end);
    for (long i = from; i < to; i++) {
        const int v = order ? order[i] : (int)i;
        const int own = label[v];
        const OFFSET first = row_ptr[v];
        const uint degree = within && busy[v] != stamp ? 0 : (uint)(row_ptr[v + 1] - first), size = 2 * degree;
        volatile __global int *key = keys + 2 * (size_t)first;
        volatile __global ulong *sum = sums + 2 * (size_t)first;
        for (uint j = lane; j < size; j += LOCAL) {
            key[j] = -1;
            sum[j] = 0;
        }
#if LOCAL > 1
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);   // local: the row before has been compared
#endif
        // the arc after the last stands for staying: its own community is in the table whoever is in it
        for (uint j = lane; j < degree + (degree > 0); j += LOCAL) {
            const int u = j < degree ? col_idx[first + j] : -1;
            if (u == v || (within && u >= 0 && within[u] != within[v]))
                continue;
            const int c = u < 0 ? own : label[u];
            const ulong more = u < 0 ? 0 : weight ? (ulong)weight[first + j] : 1;
            uint slot = (uint)(((ulong)((uint)c * 2654435761u) * size) >> 32);
            for (;;) {   // half of the table is free
#if LOCAL > 1
                const int found = atomic_cmpxchg(&key[slot], -1, c);
                if (found == -1 || found == c) {
                    add_wider(&sum[slot], more);
                    break;
                }
#else
                const int found = key[slot];
                if (found == -1 || found == c) {
                    key[slot] = c;
                    sum[slot] += more;
                    break;
                }
#endif
                slot = slot + 1 == size ? 0 : slot + 1;
            }
        }
#if LOCAL > 1
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
        long high = 0;
        ulong low = 0;
        int mine = -1;
        const ulong k = strength[v], cost = resolution * k;
        for (uint j = lane; j < size; j += LOCAL) {
            const int c = key[j];
            if (c < 0 || (within && c != own && busy[c] == stamp))
                continue;
            const ulong near = sum[j], rest = total[c] - (c == own ? k : 0);
            const ulong gain_low = whole * near, cost_low = cost * rest;
            const ulong l = gain_low - cost_low;
            const long h = (long)(mul_hi(whole, near) - mul_hi(cost, rest) - (gain_low < cost_low ? 1 : 0));
            if (mine < 0 || goes_first(h, l, c, high, low, mine, own)) {
                high = h;
                low = l;
                mine = c;
            }
        }
#if LOCAL > 1
        highs[lane] = high;
        lows[lane] = low;
        best[lane] = mine;
        for (int half_ = LOCAL / 2; half_ > 0; half_ /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane < half_) {
                const int other = best[lane + half_];
                if (other >= 0 && (best[lane] < 0 || goes_first(highs[lane + half_], lows[lane + half_], other, highs[lane],
                                                                lows[lane], best[lane], own))) {
                    highs[lane] = highs[lane + half_];
                    lows[lane] = lows[lane + half_];
                    best[lane] = other;
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        mine = best[0];
#endif
        if (lane == 0)
            target[i] = mine < 0 ? own : mine;
    }
}

// Of those who want to move, the first vertex at each community that one leaves or enters; claim is INT_MAX before.
__kernel void multilevel_claim(const int n, __global const int *restrict label, __global const int *restrict target,
                               volatile __global int *claim)
{
    FOR_ITEMS(v, n)
        if (target[v] != label[v]) {
            atomic_min(&claim[label[v]], v);
            atomic_min(&claim[target[v]], v);
        }
}

// Moves the vertices at begin .. end - 1 of the order; with claims those alone that have both of theirs.
__kernel void multilevel_move(const int begin, const int end, __global const int *restrict order,
                              __global const int *restrict claim, __global const int *restrict target,
                              __global const ulong *restrict strength, __global int *restrict label,
                              volatile __global int *members, volatile __global ulong *total, volatile __global int *moved)
{
    int count = 0;
    FOR_ITEMS(i, end - begin) {
        const int v = order ? order[begin + i] : begin + i, to = target[begin + i], from = label[v];
        if (to != from && (!claim || (claim[from] == v && claim[to] == v))) {
            label[v] = to;
            add_wider(&total[from], 0 - strength[v]);
            add_wider(&total[to], strength[v]);
            if (members) {
                atomic_dec(&members[from]);
                atomic_inc(&members[to]);
            }
            count++;
        }
    }
    if (count)
        atomic_add(moved, count);
}

// Stamps the vertices at begin .. end - 1 of the order that are alone in their own communities.
__kernel void multilevel_stamp(const int begin, const int end, const int stamp, __global const int *restrict order,
                               __global const int *restrict label, __global const int *restrict members,
                               __global int *restrict busy)
{
    FOR_ITEMS(i, end - begin) {
        const int v = order[begin + i];
        if (label[v] == v && members[v] == 1)
            busy[v] = stamp;
    }
}

// The least number that a vertex sees among its neighbours of the same community, and where that number points; part: numbers
// of vertices so far, next: from now on. In the end each has the smallest vertex of its connected part.
__kernel void multilevel_parts(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                               __global const int *restrict label, __global const int *restrict part,
                               __global int *restrict next, volatile __global int *moved)
{
    int count = 0;
    FOR_ITEMS(v, n) {
        int least = part[v];
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++)
            if (label[col_idx[e]] == label[v])
                least = min(least, part[col_idx[e]]);
        least = part[least];   // no larger than itself
        next[v] = least;
        count += least != part[v];
    }
    if (count)
        atomic_add(moved, count);
}

// What modularity is made of: the weight inside communities, and the sum of the squares of their strengths. A strength below
// 2^40 has two halves of 20 bits; sum, 0 before: weight inside, squares of upper halves, products, squares of lower halves.
__kernel void multilevel_quality(const int n, const int loops, const int run, __global const OFFSET *restrict row_ptr,
                                 __global const int *restrict col_idx, __global const long *restrict weight,
                                 __global const int *restrict label, __global const ulong *restrict total,
                                 volatile __global ulong *sum)
{
    ulong inside = 0, upper = 0, mixed = 0, lower = 0;
    const long from = min((long)get_global_id(0) * run, (long)n), to = min(from + run, (long)n);
    for (int v = (int)from; v < to; v++) {
        const int own = label[v];
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++)
            if (label[col_idx[e]] == own)
                inside += WEIGHT(e, v);
        const ulong a = total[v] >> 20, b = total[v] & 0xfffff;
        upper += a * a;
        mixed += a * b;
        lower += b * b;
    }
    if (from < to) {
        add_wider(&sum[0], inside);
        add_wider(&sum[1], upper);
        add_wider(&sum[2], mixed);
        add_wider(&sum[3], lower);
    }
}

// --- communities numbered in the order of their first vertices ---

// The first vertex of each community; least is INT_MAX before.
__kernel void multilevel_least(const int n, __global const int *restrict label, volatile __global int *least)
{
    FOR_ITEMS(v, n) atomic_min(&least[label[v]], v);
}

// The first vertex of the community of each, and a flag at those that are it.
__kernel void multilevel_roots(const int n, __global const int *restrict label, __global const int *restrict least,
                               __global int *restrict root, __global uchar *restrict flag)
{
    FOR_ITEMS(v, n) {
        root[v] = least[label[v]];
        flag[v] = root[v] == v;
    }
}

// out[v] = of[at[v]]; out may be at.
__kernel void multilevel_gather(const int n, __global const int *of, __global const int *at, __global int *out)
{
    FOR_ITEMS(v, n) out[v] = of[at[v]];
}

// --- the next level ---

// The communities that the vertices of the next level are in before they move: number[root[v]] of the first vertex v of each.
__kernel void multilevel_inherit(const int n, __global const uchar *restrict flag, __global const int *restrict number,
                                 __global const int *restrict root, __global int *restrict label)
{
    FOR_ITEMS(v, n)
        if (flag[v])
            label[number[v]] = number[root[v]];
}

// The communities of both ends of each arc, and its weight.
__kernel void multilevel_ends(const int n, const int loops, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global const long *restrict weight,
                              __global const int *restrict number, __global int *restrict tail, __global int *restrict head,
                              __global long *restrict value)
{
    FOR_ITEMS(v, n)
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
            tail[e] = number[v];
            head[e] = number[col_idx[e]];
            value[e] = (long)WEIGHT(e, v);
        }
}

// Heads (which 0) or tails (1) of arcs in an order; place NULL: as they are.
__kernel void multilevel_word(const int count, const int which, __global const int *restrict tail,
                              __global const int *restrict head, __global const int *restrict place, __global uint *restrict word)
{
    FOR_ITEMS(i, count) {
        const int e = place ? place[i] : i;
        word[i] = (uint)(which ? tail[e] : head[e]);
    }
}

// Weights in order, and a flag at the first of equal arcs.
__kernel void multilevel_first(const int count, __global const int *restrict place, __global const int *restrict tail,
                               __global const int *restrict head, __global const long *restrict value,
                               __global long *restrict sorted, __global uchar *restrict flag)
{
    FOR_ITEMS(i, count) {
        const int e = place[i], before = i ? place[i - 1] : e;
        sorted[i] = value[e];
        flag[i] = i == 0 || tail[e] != tail[before] || head[e] != head[before];
    }
}

// The arcs that are left, and where the rows of n communities begin; begins: where each arc's equals begin.
__kernel void multilevel_rows(const int n, const int count, __global const int *restrict place,
                              __global const int *restrict tail, __global const int *restrict head,
                              __global const uchar *restrict flag, __global const int *restrict where,
                              __global int *restrict row_ptr, __global int *restrict col_idx, __global int *restrict begins)
{
    FOR_ITEMS(i, count + 1) {
        const int here = i < count ? tail[place[i]] : n, before = i ? tail[place[i - 1]] : -1;
        for (int row = before + 1; row <= here; row++)   // communities without arcs have empty rows
            row_ptr[row] = where[i];
        if (i == count)
            begins[where[i]] = count;
        else if (flag[i]) {
            col_idx[where[i]] = head[place[i]];
            begins[where[i]] = i;
        }
    }
}

// The sum of equal arcs: the difference of two running sums.
__kernel void multilevel_weights(const int count, __global const int *restrict begins, __global const long *restrict before,
                                 __global long *restrict weight)
{
    FOR_ITEMS(e, count) weight[e] = before[begins[e + 1]] - before[begins[e]];
}
