// sampling/explore_walk.cl: a depth-first walk (edfs): which vertices are visited first, in this order. It is serial:
// each step waits for what the last one read, so it is bound by the latency of memory, and belongs where that is short.
//
// step    OFFSET[2 arcs]  every row's neighbours in the order in which they are tried (sampling/explore_order.cl), each
//                         with the beginning of its own row, so that a visit costs one look beyond the caches; the last
//                         one of a row is stored as ~u
// visited uint[n/32 + 1]  a bit for each vertex: small enough for a cache
// visit   int[n]          the vertices in the order of their first visits
// stack   OFFSET[n]       the way back: for each vertex of the path that has more neighbours the next arc to try
// state   int[2]          arcs on the stack, vertices visited; so that another launch can continue the walk
// start, row   int[runs], OFFSET[runs]   where each of several runs begins, and that vertex's row; a run has a part of
//                                       all arrays, with `wanted` visits
// launch  one work-group of LANES work-items for each run, which try as many neighbours at once
// tunables LANES 1 on CPUs, 32 on GPUs

#ifndef LANES
#define LANES 1
#endif

#define OF_RUN(run)                        \
    do {                                   \
        visited += (run) * (n / 32 + 1);   \
        visit += (run) * wanted;           \
        stack += (run) * n;                \
        state += 2 * (run);                \
    } while (0)

// Before the first launch: all of `visited` is 0. The vertices have neighbours.
__kernel void explore_start(const int runs, const int n, const int wanted, __global const int *restrict start,
                            __global const OFFSET *restrict row, __global uint *restrict visited,
                            __global int *restrict visit, __global OFFSET *restrict stack, __global int *restrict state)
{
    const size_t run = get_global_id(0);
    if (run < (size_t)runs) {
        OF_RUN(run);
        visited[start[run] >> 5] = 1u << (start[run] & 31);
        visit[0] = start[run];
        stack[0] = row[run];
        state[0] = 1;
        state[1] = 1;
    }
}

// At most `steps` steps of the walk, until `wanted` vertices are visited: on to an unvisited neighbour, or past visited
// ones, or back. Of LANES work-items all know the same path; one that has found the next vertex notes it, and a barrier
// publishes that.
__kernel void explore_walk(const int steps, const int n, const int wanted, const long arcs,
                           __global const OFFSET *restrict step, __global uint *visited, __global int *restrict visit,
                           __global OFFSET *stack, __global int *restrict state)
{
    OF_RUN(get_group_id(0));
    step += 2 * get_group_id(0) * (size_t)arcs;
    int depth = state[0], count = state[1];
    OFFSET arc = depth ? stack[--depth] : -1;
#if LANES == 1
    for (int i = 0; i < steps && arc >= 0 && count < wanted; i++) {
        const OFFSET at = step[2 * (size_t)arc];
        const int is_last = at < 0, u = (int)(is_last ? ~at : at);
        if (!(visited[u >> 5] >> (u & 31) & 1)) {
            visited[u >> 5] |= 1u << (u & 31);
            visit[count++] = u;
            if (!is_last)
                stack[depth++] = arc + 1;
            arc = step[2 * (size_t)arc + 1];
        } else if (!is_last) {
            arc++;
        } else {
            arc = depth ? stack[--depth] : -1;
        }
    }
    if (arc >= 0)
        stack[depth++] = arc;
    state[0] = depth;
    state[1] = count;
#else
    __local int nearest[2], last[2], vertex[LANES];
    __local OFFSET row[LANES];
    const int lane = get_local_id(0);
    if (lane < 2)
        nearest[lane] = last[lane] = LANES;
    for (int i = 0; i < steps && arc >= 0 && count < wanted; i++) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // all see what the last step wrote
        const int mine = (long)arc + lane < arcs;
        const OFFSET at = mine ? step[2 * (size_t)(arc + lane)] : 0;
        const int u = (int)(at < 0 ? ~at : at);
        const uint word = mine ? visited[u >> 5] : 0;
        vertex[lane] = u;
        row[lane] = mine ? step[2 * (size_t)(arc + lane) + 1] : 0;
        if (mine && !(word >> (u & 31) & 1))
            atomic_min(&nearest[i & 1], lane);
        if (mine && at < 0)
            atomic_min(&last[i & 1], lane);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // all have read `visited`
        const int first = nearest[i & 1], end = last[i & 1];   // of a later row where first > end
        if (lane == 0)
            nearest[~i & 1] = last[~i & 1] = LANES;   // all have read them in the last step
        if (first < LANES && first <= end) {
            if (lane == first) {
                visited[u >> 5] = word | 1u << (u & 31);
                visit[count] = u;
                if (first < end)
                    stack[depth] = arc + first + 1;
            }
            count++;
            depth += first < end;
            arc = row[first];
        } else if (end == LANES) {
            arc += LANES;
        } else {
            arc = depth ? stack[--depth] : -1;
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);   // all have read state and stack, even if there was no step to take
    if (lane == 0) {
        if (arc >= 0)
            stack[depth++] = arc;
        state[0] = depth;
        state[1] = count;
    }
#endif
}
