// centrality/betweenness.cl: betweenness centrality after Brandes (A Faster Algorithm for Betweenness Centrality, J. Math.
// Sociology 25, 2001), for LANES sources at once.
//
// The distances come from the searches of traversal/many.h. Then, level by level, each vertex sums up its neighbours of the
// level before (numbers of shortest paths), and back from the last level its neighbours of the level after (dependencies).
// No atomic adds of floats, and the same bits at each run: the arcs of a row are summed in their order, those of a row of
// more than ONE_SUM arcs in ways_of(arcs) partial sums, arc j to sum j mod ways, and these are folded by halves.
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
//              list, each with LANES / SPLIT lanes; long rows: LANES work-items for each partial sum, very long rows: a work-group
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
#define CLASSES 3        // of rows: very long (these begin first: they take longest), long, others
#endif
#define ONE_SUM 32       // arcs
#define WAYS 8           // partial sums of a row of more: of four lanes, a warp takes them
#define VERY_LONG 4096   // arcs; rows with more have MOST_WAYS partial sums, which 256 work-items take
#define MOST_WAYS 64
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

static inline int ways_of(const OFFSET arcs) { return arcs > VERY_LONG ? MOST_WAYS : arcs > ONE_SUM ? WAYS : 1; }

// Sets sum, for each of this work-item's lanes, to the sum of `values` over v's neighbours whose distance is `wanted`.
static inline void sum_row(double *sum, const int v, const int wanted, const uint lane, __global const OFFSET *restrict row_ptr,
                           __global const int *restrict col_idx, __global const DIST *restrict distance,
                           __global const double *values)
{
    const OFFSET begin = row_ptr[v], end = row_ptr[v + 1];
    const int ways = ways_of(end - begin);
    for (uint l = 0; l < PER; l++)
        sum[l] = 0;
    if (ways == 1)
        for (OFFSET e = begin; e < end; e++) {
            const size_t at = AT(col_idx[e], lane);
            for (uint l = 0; l < PER; l++)
                sum[l] += distance[at + l] == wanted ? values[at + l] : 0;
        }
#if !defined(LONG_ROW) || LONG_ROW > ONE_SUM   // else work-groups have these rows
    if (ways == 1)
        return;
    double part[MOST_WAYS * PER];
    for (int i = 0; i < ways * PER; i++)
        part[i] = 0;
    for (OFFSET e = begin; e < end; e++) {
        const size_t at = AT(col_idx[e], lane);
        double *mine = part + (int)((e - begin) & (ways - 1)) * PER;
        for (uint l = 0; l < PER; l++)
            mine[l] += distance[at + l] == wanted ? values[at + l] : 0;
    }
    for (int rest = ways / 2; rest; rest /= 2)
        for (int i = 0; i < rest * PER; i++)
            part[i] += part[i + rest * PER];
    for (uint l = 0; l < PER; l++)
        sum[l] = part[l];
#endif
}

// The numbers of paths of a level: the sum of those of the in-neighbours one level before.
__kernel void betweenness_forward(const int begin, const int end, const int level, __global const int *restrict list,
                                  __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                  __global const DIST *restrict distance, __global double *paths)
{
    FOR_LEVEL(v, begin, end) {
        double sum[PER];
        sum_row(sum, (int)v, level - 1, lane, row_ptr, col_idx, distance, paths);
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
        sum_row(sum, (int)v, level + 1, lane, row_ptr, col_idx, distance, share);
        for (uint l = 0; l < PER; l++)
            if (distance[AT(v, lane) + l] == level)
                take_back(AT(v, lane) + l, sum[l], by_arc, paths, share);
    }
}

#ifdef LONG_ROW
#define LOADS 16         // that a work-item has on the way at once: with 4 of them, hubs of R-MAT 22 take an H200 three times as long

// Sets `sum` to that of this work-item's row and lane (the first LANES of a row's work-items have it): 1 << shift work-items take
// a row, of `rows` rows from entry `begin` of the list on; v is the row, -1 beyond the last. `part` has a double for each
// work-item, and for each partial sum of a very long row.
#define SUM_ROWS(sum, v, mine, wanted, values)                                                                         \
    __local double part[LANES * MOST_WAYS];                                                                            \
    const int per_row = 1 << shift, lid_ = (int)get_local_id(0), which_ = lid_ >> shift, mine = lid_ & (per_row - 1);  \
    const int entry_ = (int)get_group_id(0) * ((int)get_local_size(0) >> shift) + which_;                              \
    const int v = entry_ < rows ? list[begin + entry_] : -1, l_ = mine % LANES;                                        \
    const OFFSET first_ = v < 0 ? 0 : row_ptr[v], arcs_ = v < 0 ? 0 : row_ptr[v + 1] - first_;                         \
    const int ways_ = ways_of(arcs_), base_ = which_ * per_row;                                                        \
    for (int way = mine / LANES; way < ways_; way += per_row / LANES) {                                                \
        double add = 0;                                                                                                \
        for (int e = way; e < arcs_; e += LOADS * ways_) { /* rows have less than 2^26 arcs */                         \
            size_t at[LOADS];                                                                                          \
            int is[LOADS];                                                                                             \
            double term[LOADS];                                                                                        \
            for (int k = 0; k < LOADS; k++)                                                                            \
                at[k] = AT(col_idx[first_ + (e + k * ways_ < arcs_ ? e + k * ways_ : e)], l_);                         \
            for (int k = 0; k < LOADS; k++)                                                                            \
                is[k] = (e + k * ways_ < arcs_) & (distance[at[k]] == (wanted));                                       \
            for (int k = 0; k < LOADS; k++)                                                                            \
                term[k] = is[k] ? (values)[at[k]] : 0;                                                                 \
            for (int k = 0; k < LOADS; k++)                                                                            \
                add += term[k];                                                                                        \
        }                                                                                                              \
        part[base_ + way * LANES + l_] = add;                                                                          \
    }                                                                                                                  \
    for (int rest = max_ways / 2; rest; rest /= 2) {                                                                   \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        if (2 * rest <= ways_)                                                                                         \
            for (int i = mine; i < rest * LANES; i += per_row)                                                         \
                part[base_ + i] += part[base_ + i + rest * LANES];                                                     \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    const double sum = part[base_ + l_]

__kernel void betweenness_forward_long(const int begin, const int rows, const int shift, const int max_ways, const int level,
                                       __global const int *restrict list, __global const OFFSET *restrict row_ptr,
                                       __global const int *restrict col_idx, __global const DIST *restrict distance,
                                       __global double *paths)
{
    SUM_ROWS(sum, v, mine, level - 1, paths);
    if (v >= 0 && mine < LANES && distance[AT(v, mine)] == level)
        paths[AT(v, mine)] = sum;
}

__kernel void betweenness_back_long(const int begin, const int rows, const int shift, const int max_ways, const int level,
                                    const int by_arc, __global const int *restrict list,
                                    __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                    __global const DIST *restrict distance, __global double *restrict paths,
                                    __global double *share)
{
    SUM_ROWS(sum, v, mine, level + 1, share);
    if (v >= 0 && mine < LANES && distance[AT(v, mine)] == level)
        take_back(AT(v, mine), sum, by_arc, paths, share);
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

// Multiplies by a factor: the values of the listed vertices, or of all where there is no list.
__kernel void betweenness_scale(const int count, const double factor, __global const int *restrict list,
                                __global double *restrict total)
{
    FOR_ITEMS(i, count)
        total[list ? list[i] : i] *= factor;
}
