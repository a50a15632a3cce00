// measures/cores.cl: core numbers by peeling, level by level, after Kabir and Madduri (ParK, PKC 2017).
//
// Level k takes the vertices with k neighbours left, and again and again those that have come down to k by losing them.
//
// left      int[n]    neighbours left; in the end the core number
// core      int[n]    -1 until a vertex is taken
// queue, next  int[n]: the vertices taken last, those taken by their removal
// state     int[2]    entries of `next`; the smallest number of neighbours left (of scan)
// launch    padded range: scan: ITEMS vertices per work-item; peel: LANES work-items per entry of the queue, which share
//           its row: a hub's would hold up the level
// tunables  ITEMS, LANES

#ifndef LANES
#define LANES 1
#endif

__kernel void cores_begin(const int n, __global const OFFSET *restrict row_ptr, __global int *restrict left,
                          __global int *restrict core)
{
    FOR_ITEMS(v, n) {
        left[v] = (int)(row_ptr[v + 1] - row_ptr[v]);
        core[v] = -1;
    }
}

// Takes the vertices with at most k neighbours left; finds the smallest number of the others.
__kernel void cores_scan(const int n, const int k, __global const int *restrict left, __global int *restrict core,
                         __global int *restrict next, volatile __global int *state)
{
    int least = 0x7fffffff;
    FOR_ITEMS(v, n)
        if (core[v] < 0) {
            if (left[v] <= k) {
                core[v] = k;
                next[atomic_inc(&state[0])] = v;
            }
            else least = min(least, left[v]);
        }
    if (least != 0x7fffffff) atomic_min(&state[1], least);
}

__kernel void cores_peel(const int count, const int k, __global const OFFSET *restrict row_ptr,
                         __global const int *restrict col_idx, __global const int *restrict queue,
                         __global int *left, __global int *restrict core, __global int *restrict next,
                         volatile __global int *state)
{
    const long i = (long)get_global_id(0) / LANES;
    if (i < count) {
        const int v = queue[i];
        for (OFFSET p = row_ptr[v] + (int)(get_global_id(0) % LANES); p < row_ptr[v + 1]; p += LANES) {
            volatile __global int *mine = left + col_idx[p];
            if (SHARED_LOAD(mine) > k) {   // a stale value is only larger
                const int before = atomic_dec(mine);
                if (before == k + 1) {     // one decrement sees this: the others put back what they took
                    core[col_idx[p]] = k;
                    next[atomic_inc(&state[0])] = col_idx[p];
                }
                else if (before <= k) atomic_inc(mine);
            }
        }
    }
}
