// centrality/betweenness.cl: betweenness centrality after Brandes (A Faster Algorithm for Betweenness Centrality, J. Math.
// Sociology 25, 2001), for LANES sources at once.
//
// The distances come from the searches of traversal/many.h. Then, level by level, each vertex sums up its neighbours of the
// level before (numbers of shortest paths), and back from the last level its neighbours of the level after (dependencies).
// Every sum is of one work-item, in the order of the row: no atomic adds of floats, and the same bits at each run.
//
// distance     DIST[n][LANES]     -1 where not reached
// paths        double[n][LANES]   number of shortest paths; on the way back the dependency takes its place
// share        double[n][LANES]   (1 + dependency) / paths, of levels that are done
// list         int[]              for each level the vertices that some lane has there, in any order, but those of long rows
//                                 first; place: where a level's very long rows, long rows and others begin
// total        double[n], or of edges double[arcs]   what is asked for, of all sources so far
// by_arc       the dependencies of arcs are wanted: numbers of paths stay on the way back
//
// launch       padded ranges; arcs: one work-item per RUN arcs (csr/arcs.h); levels: SPLIT work-items for ENTRIES entries of the
//              list, each with LANES / SPLIT lanes; long rows: a work-group each
// tunables     LANES (a power of two: few sources take few), SPLIT (LANES on GPUs: adjacent work-items take adjacent lanes; 1 on
//              CPUs), ENTRIES, RUN, LONG_ROW (arcs; rows with more are summed up by work-groups; CPUs: none)

#include "csr/arcs.h"
#include "traversal/many.h"

#ifndef DIST
#define DIST char
#endif
#ifndef SPLIT
#define SPLIT 1
#endif
#ifndef ENTRIES
#define ENTRIES 16
#endif
#define PER (LANES / SPLIT)
#ifdef LONG_ROW
#define CLASSES 3        // of rows: very long, long, others
#define VERY_LONG 4096   // these begin first: they take longest
#endif
#define GROUP_LISTS 96   // lists that a work-group counts by itself
#define AT(v, l) ((size_t)(v) * LANES + (l))

// Distances from the planes. rank: where a vertex has its row there, or NULL; those beyond `rows` have none.
__kernel void betweenness_begin(const int n, const int rows, const uint bits, __global const int *restrict rank,
                                __global const BITS *restrict seen, __global const BITS *restrict planes,
                                __global DIST *restrict distance, __global double *restrict paths)
{
    FOR_ITEMS(v, n) {
        const int r = rank ? rank[v] : v;
        const BITS here = r < rows ? seen[r] : 0;
        for (uint l = 0; l < LANES; l++) {
            int d = 0;
            for (uint b = 0; b < bits && r < rows; b++)
                d |= (int)(planes[(size_t)b * rows + r] >> l & 1) << b;
            distance[AT(v, l)] = (DIST)(here >> l & 1 ? d : -1);
            paths[AT(v, l)] = 0;
        }
    }
}

__kernel void betweenness_sources(const int count, __global const int *restrict source, __global DIST *restrict distance,
                                  __global double *restrict paths)
{
    const int l = (int)get_global_id(0);
    if (l < count) {
        distance[AT(source[l], l)] = 0;
        paths[AT(source[l], l)] = 1;
    }
}

// Whether lane l is the first in which the vertex has this distance.
static inline int is_first(__global const DIST *restrict distance, const int v, const uint l)
{
    const DIST d = distance[AT(v, l)];
    int first = d >= 0;
    for (uint before = 0; before < l; before++)
        first &= distance[AT(v, before)] != d;
    return first;
}

// Where a vertex at distance d is listed.
static inline int list_of(const int d, const int v, __global const OFFSET *restrict row_ptr,
                          __global const OFFSET *restrict back_ptr)
{
#ifdef LONG_ROW
    const OFFSET arcs = max(row_ptr[v + 1] - row_ptr[v], back_ptr[v + 1] - back_ptr[v]);
    return CLASSES * d + (arcs > VERY_LONG ? 0 : arcs > LONG_ROW ? 1 : 2);
#else
    return d;
#endif
}

// How many vertices each list has (list NULL); then the lists, place being where they begin. row_ptr, back_ptr: of the arcs
// that leave and arrive. A work-group counts its own first: all would wait for the same few words otherwise.
__kernel void betweenness_lists(const int n, __global const OFFSET *restrict row_ptr, __global const OFFSET *restrict back_ptr,
                                __global const DIST *restrict distance, volatile __global int *place,
                                __global int *restrict list, const int lists)
{
    __local int in_group[GROUP_LISTS];
    const int mine = min(lists, GROUP_LISTS), lid = (int)get_local_id(0), size = (int)get_local_size(0);
    for (int i = lid; i < mine; i += size)
        in_group[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ITEMS(v, n)
        for (uint l = 0; l < LANES; l++)
            if (is_first(distance, v, l)) {
                const int which = list_of(distance[AT(v, l)], v, row_ptr, back_ptr);
                if (which < GROUP_LISTS)
                    atomic_inc(&in_group[which]);
            }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < mine; i += size)
        if (in_group[i])
            in_group[i] = atomic_add(&place[i], in_group[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!list && lists <= GROUP_LISTS)
        return;
    FOR_ITEMS(v, n)
        for (uint l = 0; l < LANES; l++)
            if (is_first(distance, v, l)) {
                const int which = list_of(distance[AT(v, l)], v, row_ptr, back_ptr);
                if (which >= GROUP_LISTS) {
                    const int at = atomic_inc(&place[which]);
                    if (list)
                        list[at] = v;
                } else if (list)
                    list[atomic_inc(&in_group[which])] = v;
            }
}

// for (each vertex v of a level's list that is this work-item's)
#define FOR_LEVEL(v, begin, end)                                                                              \
    const uint lane = (uint)(get_global_id(0) % SPLIT) * PER;                                                 \
    const long from_ = (long)(begin) + (long)(get_global_id(0) / SPLIT) * ENTRIES;                            \
    for (long i_ = min(from_, (long)(end)), end_ = min(from_ + ENTRIES, (long)(end)), v; i_ < end_ && (v = list[i_], 1); \
         i_++)

// The numbers of paths of a level: the sum of those of the in-neighbours one level before.
__kernel void betweenness_forward(const int begin, const int end, const int level, __global const int *restrict list,
                                  __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                  __global const DIST *restrict distance, __global double *paths)
{
    FOR_LEVEL(v, begin, end) {
        double sum[PER];
        for (uint l = 0; l < PER; l++)
            sum[l] = 0;
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
            const size_t at = AT(col_idx[e], lane);
            for (uint l = 0; l < PER; l++)
                sum[l] += distance[at + l] == level - 1 ? paths[at + l] : 0;
        }
        for (uint l = 0; l < PER; l++)
            if (distance[AT(v, lane) + l] == level)
                paths[AT(v, lane) + l] = sum[l];
    }
}

// What becomes of a vertex's sum: the share that the level before takes, and the dependency (by_arc: the number of paths
// stays, which is needed again).
static inline void take_back(const size_t at, const double sum, const int by_arc, __global double *paths,
                             __global double *share)
{
    const double count = paths[at], dependency = count * sum;
    share[at] = (1 + dependency) / count;
    if (!by_arc)
        paths[at] = dependency;
}

// The dependencies of a level: paths times the sum of the shares of the out-neighbours one level after.
__kernel void betweenness_back(const int begin, const int end, const int level, const int by_arc, __global const int *restrict list,
                               __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                               __global const DIST *restrict distance, __global double *restrict paths,
                               __global double *share)
{
    FOR_LEVEL(v, begin, end) {
        double sum[PER];
        for (uint l = 0; l < PER; l++)
            sum[l] = 0;
        for (OFFSET e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
            const size_t at = AT(col_idx[e], lane);
            for (uint l = 0; l < PER; l++)
                sum[l] += distance[at + l] == level + 1 ? share[at + l] : 0;
        }
        for (uint l = 0; l < PER; l++)
            if (distance[AT(v, lane) + l] == level)
                take_back(AT(v, lane) + l, sum[l], by_arc, paths, share);
    }
}

#ifdef LONG_ROW
#define CHUNK (1024 / LANES)   // arcs whose values a work-group has at hand: 8 KB
#define BATCH 4                // loads that a work-item has on the way at once

// Sets sum, for the first LANES work-items, to the sum of the values at `wanted` along v's row, in the order of the row. The
// work-group reads them together.
#define SUM_LONG(sum, v, wanted, values)                                                                               \
    __local double term[CHUNK * LANES];                                                                                \
    const uint lid = get_local_id(0), size = get_local_size(0);                                                        \
    const OFFSET row_end = row_ptr[(v) + 1];                                                                           \
    double sum = 0;                                                                                                    \
    for (OFFSET chunk = row_ptr[v]; chunk < row_end; chunk += CHUNK) {                                                 \
        const uint all = (uint)min((OFFSET)CHUNK, row_end - chunk) * LANES;                                            \
        for (uint first = lid; first < all; first += BATCH * size) {                                                   \
            size_t at[BATCH];                                                                                          \
            int is[BATCH];                                                                                             \
            for (uint k = 0; k < BATCH; k++) {                                                                         \
                const uint i = first + k * size;                                                                       \
                at[k] = AT(col_idx[chunk + min(i, all - 1) / LANES], i % LANES);                                       \
            }                                                                                                          \
            for (uint k = 0; k < BATCH; k++)                                                                           \
                is[k] = distance[at[k]] == (wanted);                                                                   \
            for (uint k = 0; k < BATCH; k++)                                                                           \
                if (first + k * size < all)                                                                            \
                    term[first + k * size] = is[k] ? (values)[at[k]] : 0;                                              \
        }                                                                                                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        if (lid < LANES)                                                                                               \
            for (uint i = lid; i < all; i += LANES)                                                                    \
                sum += term[i];                                                                                        \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
    }

__kernel void betweenness_forward_long(const int begin, const int level, __global const int *restrict list,
                                       __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                       __global const DIST *restrict distance, __global double *paths)
{
    const int v = list[begin + (int)get_group_id(0)];
    SUM_LONG(sum, v, level - 1, paths);
    if (lid < LANES && distance[AT(v, lid)] == level)
        paths[AT(v, lid)] = sum;
}

__kernel void betweenness_back_long(const int begin, const int level, const int by_arc, __global const int *restrict list,
                                    __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                    __global const DIST *restrict distance, __global double *restrict paths,
                                    __global double *share)
{
    const int v = list[begin + (int)get_group_id(0)];
    SUM_LONG(sum, v, level + 1, share);
    if (lid < LANES && distance[AT(v, lid)] == level)
        take_back(AT(v, lid), sum, by_arc, paths, share);
}
#endif

// Adds the dependencies of all lanes, in their order; with `endpoints` also 1 for each source that reaches the vertex, and
// for the source one for each vertex reached.
__kernel void betweenness_add(const int n, const int endpoints, __global const DIST *restrict distance,
                              __global const double *restrict paths, __global double *restrict total,
                              volatile __global int *reached)
{
    FOR_ITEMS(v, n) {
        double sum = total[v];
        for (uint l = 0; l < LANES; l++)
            if (distance[AT(v, l)] > 0) {
                sum += paths[AT(v, l)] + endpoints;
                if (endpoints)
                    atomic_inc(&reached[l]);
            }
        total[v] = sum;
    }
}

__kernel void betweenness_ends(const int count, __global const int *restrict source, __global const int *restrict reached,
                               __global double *restrict total)
{
    if (get_global_id(0) == 0)
        for (int l = 0; l < count; l++)
            total[source[l]] += reached[l];
}

// Adds to each arc the share of shortest paths that pass it, of all lanes in their order: the number of paths to its tail times
// the share of its head, where that is one level after.
__kernel void betweenness_arcs(const int n, const long arcs, __global const OFFSET *restrict row_ptr,
                               __global const int *restrict col_idx, __global const DIST *restrict distance,
                               __global const double *restrict paths, __global const double *restrict share,
                               __global double *restrict total)
{
    int u = -1;
    FOR_RUN(p, arcs) {
        u = row_after(p, u, n, row_ptr);
        const size_t tail = AT(u, 0), head = AT(col_idx[p], 0);
        double sum = total[p];
        for (uint l = 0; l < LANES; l++)
            if (distance[tail + l] >= 0 && distance[head + l] == distance[tail + l] + 1)
                sum += paths[tail + l] * share[head + l];
        total[p] = sum;
    }
}
