// communities/multilevel.cl: communities by moving vertices, level by level: Louvain (Blondel, Guillaume, Lambiotte, Lefebvre:
// Fast unfolding of communities in large networks, J. Stat. Mech., 2008), with integers alone.
//
// A level is a graph of whole weights, each arc with its mirror. A vertex takes the neighbouring community of the largest gain;
// vertices decide slice by slice of a keyed order, all of a slice by the state before it. Gains are compared exactly, in 128 bits:
// moving v into C is worth   weight of v to C * 1024 * total weight   less   1024 * resolution * strength of v * strength of C.
// The next level has a vertex for each community, and an arc for all arcs between two of them.
//
// row_ptr, col_idx, weight   the level; weight long[arcs], NULL: all are 1. loops 1: a self-loop is stored once, and counts twice
// strength  ulong[n]       weight of a vertex's arcs
// label     int[n]         its community; total ulong[n]: the strength of each community
// order     int[]          the vertices that decide in a pass, by slice, and in each by class of row: up to FEW arcs, up to MANY, more
// target    int[]          the community that the vertex at a place of the order wants
// awake     int[n]         whether a vertex decides in the next pass: 1 if a neighbour left for another community. NULL: all decide
// keys, sums               int and SUM[2 * arcs]: a row's hash table of neighbouring communities, where its arcs are; of the first
//                          two classes it is in local memory. Of work-items alone (LOCAL 1) each has an array of `area` entries
//                          instead, by community: one more than the weight to it, or 0, as all are before and after each row; keys
//                          lists those that are not 0
// claim     int[n]         the first vertex of a slice that wants to leave or enter a community; NULL: all who want may
// within    int[n]         Leiden's refinement (Traag, Waltman, van Eck: From Louvain to Leiden, Scientific Reports 9, 2019):
//                          vertices alone join others of the same community `within`. NULL: none
// members   int[n]         vertices of each community that refinement makes; busy int[n]: the stamp of the slice in which a
//                          vertex alone decides. Nobody joins it then, so that whoever is joined stays: communities are connected
// launch    choose: work-groups of LOCAL, each takes ROWS rows in turn; with LOCAL 1 as many as there are arrays, each takes ROWS
//           rows again and again, and so does join. strength, wake, inside, parts, ends: as csr/arcs.h says. All others:
//           padded ranges, ITEMS each
// tunables  LOCAL (1 on CPUs: no atomics), ROWS, ITEMS, RUN, FEW, MANY; TABLE: entries in local memory, twice the arcs of the
//           longest row (0: in global memory); SUM: a type that holds the sum of all weights and 1

#include "keyed.h"
#include "csr/arcs.h"
#include "wide.h"

#ifndef LOCAL
#define LOCAL 1
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef TABLE
#define TABLE 0
#endif
#ifndef SUM
#define SUM ulong
#endif
#ifndef FEW
#define FEW 0
#define MANY 0
#endif
#define CLASSES 3

// for (each row with some of the RUN arcs of this work-item), as FOR_ROW_PARTS, but many empty rows in between are passed over by
// bisection: of a level that few edges join most are empty. RUN 0: for each of ITEMS whole rows.
#if RUN
#define FOR_PARTS(v, p, stop)                                                                                                 \
    for (long p = min((long)get_global_id(0) * RUN, (long)arcs), p##_end = min(p + RUN, (long)arcs), stop, v = -1;            \
         p < p##_end && (v = row_after(p, (int)v, n, row_ptr), stop = min(p##_end, (long)row_ptr[v + 1]), true); p = stop)
#else
#define FOR_PARTS(v, p, stop) FOR_ROW_PARTS(v, p, stop, n, arcs)
#endif

// Weight of arc e; a self-loop that is stored once has two ends.
#define WEIGHT(e, v) ((ulong)(weight ? weight[e] : 1) << (loops && col_idx[e] == (v)))

// strength is 0 before.
__kernel void multilevel_strength(const int n, const int arcs, const int loops, __global const OFFSET *restrict row_ptr,
                                  __global const int *restrict col_idx, __global const long *restrict weight,
                                  volatile __global ulong *strength)
{
    FOR_PARTS(v, p, stop) {
        ulong sum = 0;
        for (long e = p; e < stop; e++)
            sum += WEIGHT(e, v);
        if (sum)
            add_wider(&strength[v], sum);
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

// Where each vertex goes in the order of a pass (number) of a stage: into a slice drawn by its key, in it by class of row. Those
// that are asleep, or have no neighbours, go behind all others.
__kernel void multilevel_keys(const int n, const ulong seed, const uint stage, const uint number, const uint slices,
                              __global const OFFSET *restrict row_ptr, __global const int *restrict awake,
                              __global uint *restrict key)
{
    FOR_ITEMS(v, n) {
        const OFFSET degree = row_ptr[v + 1] - row_ptr[v];
        uint bin = slices * CLASSES;
        if (degree > 0 && (!awake || awake[v])) {
            const uint drawn = (uint)(keyed_a(keyed_words(seed, (uint)v, stage, number, TAG_VERTEX)) >> 48);
            bin = (drawn * slices >> 16) * CLASSES + (degree > FEW) + (degree > MANY);
        }
        key[v] = bin;
    }
}

// Where keys 0 .. bins - 1 begin among n sorted ones, and behind them where they end.
__kernel void multilevel_begins(const int n, const int bins, __global const uint *restrict key, __global int *restrict begins)
{
    FOR_ITEMS(i, n + 1) {
        const int here = i < n ? (int)key[i] : bins, before = i ? (int)key[i - 1] : -1;
        for (int bin = before + 1; bin <= here; bin++)
            begins[bin] = i;
    }
}

// A community that a vertex may move to (-1: none) and its worth, an integer of 128 bits.
typedef struct {
    int community;
    long high;
    ulong low;
} choice;

// Whether a choice goes before another one: the higher worth, the vertex's own community of equals, then the smaller number.
static inline int goes_first(const choice a, const choice b, const int own)
{
    if (a.community < 0 || b.community < 0)
        return b.community < 0 && a.community >= 0;
    if (a.high != b.high)
        return a.high > b.high;
    if (a.low != b.low)
        return a.low > b.low;
    return b.community != own && (a.community == own || a.community < b.community);
}

// The worth of community c for a vertex with this weight to it: cost is the resolution times the vertex's strength, rest the
// strength of the community without it.
static inline choice worth(const int c, const ulong whole, const ulong near, const ulong cost, const ulong rest)
{
    const ulong gain = whole * near, loss = cost * rest;
    const choice found = {c, (long)(mul_hi(whole, near) - mul_hi(cost, rest) - (gain < loss ? 1 : 0)), gain - loss};
    return found;
}

// A weight below which no community is worth as much as one with this weight, whoever is in it: most are passed over by it.
static inline ulong least_weight(const ulong whole, const ulong near, const ulong cost, const ulong rest)
{
    return near - min(near, mul_hi(cost, rest) ? near : cost * rest / whole);
}

// Adds to the weight to a community in a table.
#if TABLE
#define SPACE __local
#else
#define SPACE __global
#endif
static inline void add_weight(volatile SPACE SUM *sum, const SUM more)
{
    volatile SPACE uint *words = (volatile SPACE uint *)sum;
    const uint low = (uint)more, before = atomic_add(&words[0], low);
    if (sizeof(SUM) > 4) {   // as add_wider does, which knows global memory only
        const uint high = (uint)((ulong)more >> 32) + ((uint)(before + low) < before);
        if (high)
            atomic_add(&words[1], high);
    }
}

// The community that each vertex at begin .. end - 1 of the order wants.
__kernel void multilevel_choose(const int begin, const int end, const int area, const ulong whole, const ulong resolution,
                                __global const int *restrict order, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const long *restrict weight,
                                __global const int *restrict label, __global const int *restrict within,
                                __global const int *restrict busy, const int stamp,
                                __global const ulong *restrict strength, __global const ulong *restrict total,
                                volatile __global int *keys, volatile __global SUM *sums, __global int *restrict target)
{
#if LOCAL == 1
    __global int *key = (__global int *)keys + (size_t)get_group_id(0) * area;
    __global SUM *sum = (__global SUM *)sums + (size_t)get_group_id(0) * area;
    const long stride = (long)get_num_groups(0) * ROWS;
    for (long from = (long)begin + (long)get_group_id(0) * ROWS; from < end; from += stride)
        for (long i = from; i < min(from + ROWS, (long)end); i++) {
            const int v = order[i], own = label[v];
            target[i] = own;
            if (within && busy[v] != stamp)
                continue;
            int count = 1;
            key[0] = own;   // it may stay, whoever is there
            sum[own] = 1;
            for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
                const int u = col_idx[e];
                if (u == v || (within && within[u] != within[v]))
                    continue;
                const int c = label[u];
                const SUM before = sum[c];
                key[count] = c;   // there is room for one more than all
                count += before == 0;
                sum[c] = before + (before == 0) + (weight ? (SUM)weight[e] : 1);
            }
            const ulong cost = resolution * strength[v];
            choice best = worth(own, whole, sum[own] - 1, cost, total[own] - strength[v]);
            ulong least = least_weight(whole, sum[own] - 1, cost, total[own] - strength[v]);
            sum[own] = 0;
            for (int j = 1; j < count; j++) {
                const int c = key[j];
                const ulong near = sum[c] - 1;
                sum[c] = 0;
                if (near < least || (within && busy[c] == stamp))
                    continue;
                const choice other = worth(c, whole, near, cost, total[c]);
                if (goes_first(other, best, own)) {
                    best = other;
                    least = max(least, least_weight(whole, near, cost, total[c]));
                }
            }
            target[i] = best.community;
        }
#else
    __local choice choices[LOCAL];
#if TABLE
    volatile __local int key[TABLE];
    volatile __local SUM sum[TABLE];
#endif
    const int lane = get_local_id(0);
    const long from = min((long)begin + (long)get_group_id(0) * ROWS, (long)end), to = min(from + ROWS, (long)end);
    for (long i = from; i < to; i++) {
        const int v = order[i], own = label[v];
        const OFFSET first = row_ptr[v];
        const int idle = within && busy[v] != stamp;
        const uint degree = idle ? 0 : (uint)(row_ptr[v + 1] - first), size = 2 * degree;
#if !TABLE
        volatile __global int *key = keys + 2 * (size_t)first;
        volatile __global SUM *sum = sums + 2 * (size_t)first;
#endif
        for (uint j = lane; j < size; j += LOCAL) {
            key[j] = -1;
            sum[j] = 0;
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);   // local: the row before has been compared
        // the arc after the last stands for staying: its own community is in the table whoever is in it
        for (uint j = lane; j < degree + (degree > 0); j += LOCAL) {
            const int u = j < degree ? col_idx[first + j] : -1;
            if (u == v || (within && u >= 0 && within[u] != within[v]))
                continue;
            const int c = u < 0 ? own : label[u];
            uint slot = (uint)(((ulong)((uint)c * 2654435761u) * size) >> 32);
            for (;;) {   // half of the table is free
                // a stale value is -1, and then the exchange says what is there: a key that is set stays
                int found = SHARED_LOAD(&key[slot]);
                if (found == -1)
                    found = atomic_cmpxchg(&key[slot], -1, c);
                if (found == -1 || found == c) {
                    if (u >= 0)
                        add_weight(&sum[slot], weight ? (SUM)weight[first + j] : 1);
                    break;
                }
                slot = slot + 1 == size ? 0 : slot + 1;
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
        choice best = {-1, 0, 0};
        for (uint j = lane; j < size; j += LOCAL) {
            const int c = key[j];
            if (c < 0 || (within && c != own && busy[c] == stamp))
                continue;
            const choice other = worth(c, whole, sum[j], resolution * strength[v], total[c] - (c == own ? strength[v] : 0));
            if (goes_first(other, best, own))
                best = other;
        }
        choices[lane] = best;
        for (int half_ = LOCAL / 2; half_ > 0; half_ /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane < half_ && goes_first(choices[lane + half_], choices[lane], own))
                choices[lane] = choices[lane + half_];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0)
            target[i] = choices[0].community < 0 ? own : choices[0].community;
    }
#endif
}

// Of those at begin .. end - 1 of the order who want to move, the first vertex at each community that one leaves or enters;
// claim is INT_MAX before.
__kernel void multilevel_claim(const int begin, const int end, __global const int *restrict order,
                               __global const int *restrict label, __global const int *restrict target,
                               volatile __global int *claim)
{
    FOR_ITEMS(i, end - begin) {
        const int v = order[begin + i], from = label[v], to = target[begin + i];
        if (to != from) {
            atomic_min(&claim[from], v);
            atomic_min(&claim[to], v);
        }
    }
}

// Moves the vertices at begin .. end - 1 of the order; with claims those alone that have both of theirs, and the others stay awake.
__kernel void multilevel_move(const int begin, const int end, __global const int *restrict order,
                              __global const int *restrict claim, __global const int *restrict target,
                              __global const ulong *restrict strength, __global int *restrict label,
                              __global int *restrict awake, volatile __global int *members, volatile __global ulong *total,
                              volatile __global int *moved)
{
    int count = 0;
    FOR_ITEMS(i, end - begin) {
        const int v = order[begin + i], to = target[begin + i], from = label[v];
        if (to == from)
            continue;
        if (claim && (claim[from] != v || claim[to] != v)) {
            awake[v] = 1;
            continue;
        }
        label[v] = to;
        add_wider(&total[from], 0 - strength[v]);
        add_wider(&total[to], strength[v]);
        if (members) {
            atomic_dec(&members[from]);
            atomic_inc(&members[to]);
        }
        count++;
    }
    if (count)
        atomic_add(moved, count);
}

// Wakes the neighbours of the vertices that have moved, but for those in the communities that these are in now, and adds to sum[0]
// what the weight inside communities has grown by, modulo 2^64.
__kernel void multilevel_wake(const int n, const int arcs, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global const long *restrict weight,
                              __global const int *restrict label, __global const int *restrict old_label,
                              volatile __global int *awake, volatile __global ulong *sum)
{
    ulong grown = 0;
    FOR_PARTS(v, p, stop) {
        const int now = label[v], before = old_label[v];
        if (now != before)
            for (long e = p; e < stop; e++) {
                const int u = col_idx[e], other = label[u], was = old_label[u];
                if (other != now)
                    SHARED_STORE(&awake[u], 1);   // all write the same, and nobody reads it in this launch
                if (u != v && (other == now) != (was == before)) {
                    // the arc back is counted here, too, where u has not moved
                    const ulong twice = (ulong)(weight ? weight[e] : 1) << (other == was);
                    grown += other == now ? twice : 0 - twice;
                }
            }
    }
    if (grown)
        add_wider(&sum[0], grown);
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
// of vertices so far, next: from now on, the same before. In the end each has the smallest vertex of its connected part.
__kernel void multilevel_parts(const int n, const int arcs, __global const OFFSET *restrict row_ptr,
                               __global const int *restrict col_idx, __global const int *restrict label,
                               __global const int *restrict part, volatile __global int *next, volatile __global int *moved)
{
    int count = 0;
    FOR_PARTS(v, p, stop) {
        int least = part[v];
        for (long e = p; e < stop; e++)
            if (label[col_idx[e]] == label[v])
                least = min(least, part[col_idx[e]]);
        least = part[least];   // no larger than itself
        if (least != part[v]) {
            atomic_min(&next[v], least);
            count++;
        }
    }
    if (count)
        atomic_add(moved, count);
}

// The weight inside communities, added to sum[0].
__kernel void multilevel_inside(const int n, const int arcs, const int loops, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const long *restrict weight,
                                __global const int *restrict label, volatile __global ulong *sum)
{
    ulong inside = 0;
    FOR_PARTS(v, p, stop)
        for (long e = p; e < stop; e++)
            if (label[col_idx[e]] == label[v])
                inside += WEIGHT(e, v);
    if (inside)
        add_wider(&sum[0], inside);
}

// The sum of the squares of the strengths of communities. A strength below 2^40 has two halves of 20 bits; added to sum[1 .. 3]:
// squares of upper halves, products, squares of lower halves.
__kernel void multilevel_squares(const int n, const int run, __global const ulong *restrict total, volatile __global ulong *sum)
{
    ulong upper = 0, mixed = 0, lower = 0;
    const long from = min((long)get_global_id(0) * run, (long)n), to = min(from + run, (long)n);
    for (int v = (int)from; v < to; v++) {
        const ulong a = total[v] >> 20, b = total[v] & 0xfffff;
        upper += a * a;
        mixed += a * b;
        lower += b * b;
    }
    if (from < to) {
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

// Work-items alone go through the arcs of a community's vertices, and list the communities that these lead to; order: vertices by
// community, begins: where those of each begin, before: the arcs of the vertices before each in the order. The list of community r
// is at before[begins[r]] of head and value, which is long enough.
__kernel void multilevel_degrees(const int n, __global const int *restrict order, __global const OFFSET *restrict row_ptr,
                                 __global int *restrict degree)
{
    FOR_ITEMS(i, n) degree[i] = (int)(row_ptr[order[i] + 1] - row_ptr[order[i]]);
}

__kernel void multilevel_join(const int count, const int loops, const int area, __global const int *restrict order,
                              __global const int *restrict begins, __global const int *restrict before,
                              __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                              __global const long *restrict weight, __global const int *restrict number,
                              __global int *keys, __global SUM *sums, __global int *restrict head,
                              __global long *restrict value, __global int *restrict degree)
{
    __global int *key = keys + (size_t)get_group_id(0) * area;
    __global SUM *sum = sums + (size_t)get_group_id(0) * area;
    const long stride = (long)get_num_groups(0) * ROWS;
    for (long from = (long)get_group_id(0) * ROWS; from < count; from += stride)
        for (long r = from; r < min(from + ROWS, (long)count); r++) {
            int found = 0;
            for (int i = begins[r]; i < begins[r + 1]; i++) {
                const int v = order[i];
                for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
                    const int c = number[col_idx[e]];
                    const SUM there = sum[c];
                    key[found] = c;
                    found += there == 0;
                    sum[c] = there + (there == 0) + (SUM)WEIGHT(e, v);
                }
            }
            for (int j = 0; j < found; j++) {
                head[before[begins[r]] + j] = key[j];
                value[before[begins[r]] + j] = (long)(sum[key[j]] - 1);
                sum[key[j]] = 0;
            }
            degree[r] = found;
        }
}

// Moves the lists together, to where the rows begin.
__kernel void multilevel_compact(const int count, __global const int *restrict begins, __global const int *restrict before,
                                 __global const int *restrict row_ptr, __global const int *restrict head,
                                 __global const long *restrict value, __global int *restrict col_idx,
                                 __global long *restrict weight)
{
    FOR_ITEMS(r, count)
        for (int e = row_ptr[r], from = before[begins[r]]; e < row_ptr[r + 1]; e++, from++) {
            col_idx[e] = head[from];
            weight[e] = value[from];
        }
}

// Work-groups sort all arcs: the communities of both ends of each arc, and its weight.
__kernel void multilevel_ends(const int n, const int arcs, const int loops, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global const long *restrict weight,
                              __global const int *restrict number, __global int *restrict tail, __global int *restrict head,
                              __global long *restrict value)
{
    FOR_PARTS(v, p, stop)
        for (long e = p; e < stop; e++) {
            tail[e] = number[v];
            head[e] = number[col_idx[e]];
            value[e] = (long)WEIGHT(e, v);
        }
}

// Heads (which 0) or tails (1) of arcs in an order, or any numbers; place NULL: as they are.
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
