// sampling/array_frontier.cl: array-frontier breadth-first search on COPRA (Tariq 2018, Algorithm 5, after Harish &
// Narayanan 2007).
//
// Finds the component of a start vertex, with a frontier and a next frontier (the thesis updates one array in
// place, so that a vertex marked during a launch may be expanded in it) and a count instead of its racing flag.
//
// label   int[n]     -1 not reached, else the start vertex of the component's search
// frontier, next     int[n]; the work-item of a vertex clears its frontier entry, so the two can be swapped
// found   int[1]     how many vertices this level added
// launch             padded range, ITEMS consecutive vertices per work-item; the host repeats until found is 0

#include "sampling/copra.h"

__kernel void copra_bfs_clear(const int n, __global int *restrict label, __global int *restrict frontier,
                              __global int *restrict next)
{
    FOR_ITEMS(v, n) {
        label[v] = -1;
        frontier[v] = 0;
        next[v] = 0;
    }
}

__kernel void copra_bfs_start(const int source, __global int *label, __global int *frontier)
{
    if (get_global_id(0) == 0) {
        label[source] = source;
        frontier[source] = 1;
    }
}

__kernel void copra_bfs_step(const int n, const int source, __global const OFFSET *restrict v_start,
                             __global const OFFSET *restrict v_end, __global const int *restrict edges,
                             volatile __global int *label, __global int *restrict frontier,
                             volatile __global int *next, volatile __global int *found)
{
    int added = 0;
    FOR_ITEMS(v, n) {
        if (frontier[v]) {
            frontier[v] = 0;
            for (OFFSET s = v_start[v]; s < v_end[v]; s++) {
                const int u = edges[s];
                // a stale -1 only sends us to the exchange below, which decides
                if (u >= 0 && SHARED_LOAD(&label[u]) == -1 && atomic_cmpxchg(&label[u], -1, source) == -1) {
                    SHARED_STORE(&next[u], 1);
                    added++;
                }
            }
        }
    }
    if (added)
        atomic_add(found, added);
}

// The smallest live vertex that no search has reached, or n.
__kernel void copra_bfs_unreached(const int n, __global const OFFSET *restrict v_start,
                                  __global const int *restrict label, volatile __global int *smallest)
{
    int mine = n;
    FOR_ITEMS(v, n)
        if (mine == n && v_start[v] != REMOVED && label[v] == -1)
            mine = v;
    // a stale value is larger than the true one and only costs an atomic
    if (mine < SHARED_LOAD(smallest))
        atomic_min(smallest, mine);
}
