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
// list         int[]              for each level the vertices that some lane has there, in any order; place: where they begin
// total        double[n], or of edges double[arcs]   what is asked for, of all sources so far
// by_arc       the dependencies of arcs are wanted: numbers of paths stay on the way back
//
// launch       padded ranges; arcs: one work-item per RUN arcs (csr/arcs.h); levels: SPLIT work-items for RUN entries of the list, each with LANES / SPLIT lanes
// tunables     LANES, SPLIT (LANES on GPUs: adjacent work-items take adjacent lanes; 1 on CPUs), RUN

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

// How many vertices each level's list has (list NULL); then the lists, place being where they begin.
__kernel void betweenness_lists(const int n, __global const DIST *restrict distance, volatile __global int *place,
                                __global int *restrict list)
{
    FOR_ITEMS(v, n)
        for (uint l = 0; l < LANES; l++)
            if (is_first(distance, v, l)) {
                const int at = atomic_inc(&place[distance[AT(v, l)]]);
                if (list)
                    list[at] = v;
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
        for (uint l = 0; l < PER; l++) {
            const size_t at = AT(v, lane) + l;
            if (distance[at] == level) {
                const double count = paths[at], dependency = count * sum[l];
                share[at] = (1 + dependency) / count;
                if (!by_arc)
                    paths[at] = dependency;
            }
        }
    }
}

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
