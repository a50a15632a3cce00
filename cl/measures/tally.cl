// measures/tally.cl: how often each value occurs among the vertices of each of several graphs.
//
// begin     int[graphs + 1]   where each graph's vertices begin (measures/spread.h)
// value     int[n]            below the number of the graph's vertices; a negative one is not counted
// table     uint[n]           vertices of graph g with value x at begin[g] + x; zero before
//
// tally_degrees, tally_sizes make values; tally_flags and tally_gather list what is not zero, in order.
//
// launch    tally_count: any number of work-groups for each graph. Small values, which most vertices have, are counted
//           in local memory. The others: padded range, ITEMS vertices per work-item
//           mixing_sums: the same; a work-item takes RUN arcs at a time (csr/arcs.h)
// tunables  BINS (of local memory), ITEMS

#include "csr/arcs.h"
#include "measures/spread.h"
#include "wide.h"

#ifndef BINS
#define BINS 256
#endif

__kernel void tally_degrees(const int n, __global const OFFSET *restrict row_ptr, __global int *restrict value)
{
    FOR_ITEMS(v, n) value[v] = (int)(row_ptr[v + 1] - row_ptr[v]);
}

// less_one: a component's vertices less one, at its root.
__kernel void tally_sizes(const int n, __global const int *restrict label, __global const int *restrict less_one,
                          __global int *restrict value)
{
    FOR_ITEMS(v, n) value[v] = label[v] == v ? less_one[v] : -1;
}

__kernel void tally_count(__global const int *restrict begin, __global const int *restrict value,
                          volatile __global uint *table)
{
    volatile __local uint few[BINS];
    const int first = begin[get_global_id(1)], end = begin[get_global_id(1) + 1];
    for (uint b = get_local_id(0); b < BINS; b += get_local_size(0))
        few[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_SPREAD(v, first, end) {
        const int x = value[v];
        if (x >= 0 && x < end - first) {
            if (x < BINS)
                atomic_inc(&few[x]);
            else
                atomic_inc(&table[first + x]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < BINS; b += get_local_size(0))
        if (few[b])
            atomic_add(&table[first + b], few[b]);
}

__kernel void tally_flags(const int n, __global const uint *restrict table, __global uchar *restrict flag)
{
    FOR_ITEMS(v, n) flag[v] = table[v] != 0;
}

// place: entries that are not zero before each one.
__kernel void tally_gather(const int n, __global const uint *restrict table, __global const int *restrict place,
                           __global int *restrict where, __global uint *restrict count)
{
    FOR_ITEMS(v, n)
        if (table[v]) {
            where[place[v]] = v;
            count[place[v]] = table[v];
        }
}

// The sum over all arcs of the product of the degrees of their ends, which a correlation of degrees needs besides the histogram
// (Newman: Assortative mixing in networks, Physical Review Letters 89, 2002).
#define LENGTH(v) ((ulong)(row_ptr[(v) + 1] - row_ptr[v]))

__kernel void mixing_sums(__global const int *restrict begin, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict col_idx, volatile __global ulong *sum)
{
    const int end = begin[get_global_id(1) + 1];
    const long last = row_ptr[end];
    ulong mine = 0;
    for (long at = (long)row_ptr[begin[get_global_id(1)]] + (long)get_global_id(0) * RUN; at < last;
         at += (long)get_global_size(0) * RUN) {
        int u = -1;
        for (long p = at; p < min(at + RUN, last); p++) {
            u = row_after(p, u, end, row_ptr);
            mine += LENGTH(u) * LENGTH(col_idx[p]);
        }
    }
    if (mine)
        add_wider(&sum[get_global_id(1)], mine);
}

// --- Which pairs (degree, triangles) occur among the vertices of each of several graphs, and how often: everything about local clustering follows from them. Vertices in no triangle, which are most, are left out.
//
// The others are listed, their list is sorted by triangles, then by degree, then by graph (csr/sort.cl, stable), and
// the beginning of each run of equals is marked.
//
// count     ulong[n]        triangles that each vertex is a corner of
// most      uint[2]         the largest low word of `count` and the largest high word; zero before
// list      int[k]          the vertices in some triangle, ascending
// order     int[k]          positions in `list`, sorted; NULL: 0, 1, ...

#define TRIANGLES 0
#define TRIANGLES_HIGH 1
#define DEGREE 2
#define GRAPH 3

__kernel void corners_flags(const int n, __global const ulong *restrict count, __global uchar *restrict flag,
                            volatile __global uint *most)
{
    FOR_ITEMS(v, n) {
        const uint low = (uint)count[v], high = (uint)(count[v] >> 32);
        flag[v] = count[v] != 0;
        if (low > SHARED_LOAD(&most[0]))   // a stale value is only smaller: then the atomic is superfluous
            atomic_max(&most[0], low);
        if (high > SHARED_LOAD(&most[1]))
            atomic_max(&most[1], high);
    }
}

// place: flags before each vertex.
__kernel void corners_list(const int n, __global const uchar *restrict flag, __global const int *restrict place,
                           __global int *restrict list)
{
    FOR_ITEMS(v, n)
        if (flag[v]) list[place[v]] = v;
}

static inline int graph_of(const int v, const int graphs, __global const int *restrict begin)
{
    int low = 0, high = graphs - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (begin[middle] <= v)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// What the list is sorted by next.
__kernel void corners_words(const int k, const int which, const int graphs, __global const int *restrict begin,
                            __global const OFFSET *restrict row_ptr, __global const ulong *restrict count,
                            __global const int *restrict list, __global const int *restrict place,
                            __global uint *restrict word)
{
    FOR_ITEMS(i, k) {
        const int v = list[place ? place[i] : i];
        if (which == TRIANGLES)
            word[i] = (uint)count[v];
        else if (which == TRIANGLES_HIGH)
            word[i] = (uint)(count[v] >> 32);
        else if (which == DEGREE)
            word[i] = (uint)(row_ptr[v + 1] - row_ptr[v]);
        else
            word[i] = (uint)graph_of(v, graphs, begin);
    }
}

#define AT(i) list[order ? order[i] : (i)]

// Which entries differ from the one before them.
__kernel void corners_change(const int k, const int graphs, __global const int *restrict begin,
                             __global const OFFSET *restrict row_ptr, __global const ulong *restrict count,
                             __global const int *restrict list, __global const int *restrict order,
                             __global uchar *restrict flag)
{
    FOR_ITEMS(i, k) {
        const int v = AT(i), u = i ? AT(i - 1) : v;
        flag[i] = i == 0 || count[v] != count[u] || row_ptr[v + 1] - row_ptr[v] != row_ptr[u + 1] - row_ptr[u]
                  || (graphs > 1 && graph_of(v, graphs, begin) != graph_of(u, graphs, begin));
    }
}

// One entry of each run of equals: its position, vertex, degree and triangles. place: flags before each entry.
__kernel void corners_take(const int k, __global const OFFSET *restrict row_ptr, __global const ulong *restrict count,
                           __global const int *restrict list, __global const int *restrict order,
                           __global const uchar *restrict flag, __global const int *restrict place,
                           __global int *restrict position, __global int *restrict vertex,
                           __global int *restrict degree, __global ulong *restrict triangles)
{
    FOR_ITEMS(i, k)
        if (flag[i]) {
            const int v = AT(i), at = place[i];
            position[at] = i;
            vertex[at] = v;
            degree[at] = (int)(row_ptr[v + 1] - row_ptr[v]);
            triangles[at] = count[v];
        }
}
