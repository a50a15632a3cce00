// sampling/replicates_probes.cl: exact samples (drv, dre) of one graph under many seeds, all runs in each launch.
//
// The search of sampling/exact.cl for every run at once: a probe labels the components alive at a bound inside the
// component that the run follows; the largest is certainly the followed one if it has more than half of the vertices
// followed before. When few deletions are left between the bounds, sampling/replicates_settle.cl takes them one by one
// and decides what each run does next. The host starts the kernels again and again until no run is left, and reads
// nothing but that number.
//
// launch          (vertices, edges or words of bits, active runs): index 1 of the range is a place in `active`
// per run         key uint[things], label and size int[n + ROOM] (the places behind n are nodes of the tree of the
//                 last deletions), inside uchar[n]: the followed component
// low, high int[] the ends of each edge, low < high, ascending
// member, kept, count   as in sampling/replicates.cl

#include "replicates_probes.h"
#include "../components/finder.h"

#define RUN_OF(i, count, run)                                         \
    const int i = get_global_id(0);                                   \
    if (i >= (count)) return;                                         \
    const int run = active[get_global_id(1)];

#define LABELLED(state) ((state).mode == DONE || (state).labelled)

__kernel void probes_keys(const int things, const ulong seed, __global const int *restrict low,
                          __global const int *restrict high, __global uint *restrict key)
{
    const int i = get_global_id(0);
    if (i >= things) return;
    const size_t run = get_global_id(1);
    key[run * things + i] = thing_priority(seed + run, i, low, high) >> 32;
}

__kernel void probes_begin(const int n, __global const int *restrict whole, const int root, const int size,
                           __global uchar *restrict inside, __global run_t *restrict runs,
                           __global int *restrict active, __global int *restrict count, const int slots)
{
    const int v = get_global_id(0);
    if (v >= n) return;
    const size_t run = get_global_id(1);
    inside[run * n + v] = whole[v] == root;
    if (v > 0) return;
    run_t r;
    r.low = (bound_t){0, 0, -1};
    r.high = NOTHING_AT(0xffffffffu);
    r.at = r.low;
    r.size = size;
    r.root = r.centre = root;
    r.high_size = r.listed = r.target = r.emit = r.probes = r.unused = 0;
    r.mode = START;
    r.labelled = 1;
    r.big = 0;
    r.big_root = n;
    r.keep = -1;
    runs[run] = r;
    active[run] = run;
    if (run == 0) count[3 * (size_t)slots] = size;
}

// Every vertex that may be alive is a component of its own.
__kernel void probes_mask(const int n, const ulong seed, __global const int *restrict active,
                          __global const run_t *restrict runs, __global const uchar *restrict inside,
                          __global const uint *restrict key, __global int *restrict label, __global int *restrict size)
{
    RUN_OF(v, n, run)
    if (LABELLED(runs[run])) return;
    int present = inside[(size_t)run * n + v];
#if !EDGES
    present = present && is_after(runs[run].at, key[(size_t)run * n + v], seed + run, v, 0, 0);
#endif
    const size_t place = (size_t)run * (n + ROOM) + v;
    label[place] = present ? v : -1;
    size[place] = 0;
}

__kernel void probes_link(const int n, const int m, const ulong seed, __global const int *restrict active,
                          __global const run_t *restrict runs, __global const int *restrict low,
                          __global const int *restrict high, __global const uint *restrict key, __global int *label)
{
    RUN_OF(e, m, run)
    if (LABELLED(runs[run])) return;
    __global int *mine = label + (size_t)run * (n + ROOM);
    // stale is harmless: a launch never turns a label from -1 to >= 0 or back
    if (SHARED_LOAD(mine + low[e]) < 0 || SHARED_LOAD(mine + high[e]) < 0) return;
#if EDGES
    if (!is_after(runs[run].at, key[(size_t)run * m + e], seed + run, e, low, high)) return;
#endif
    join(mine, low[e], high[e]);
}

// Most vertices of a work-group share a root, the giant's: they are counted in local memory first, since a hundred
// thousand atomics on one word would follow each other.
__kernel void probes_compress(const int n, __global const int *restrict active, __global const run_t *restrict runs,
                              __global int *label, __global int *size)
{
    __local int common, times;
    const int v = get_global_id(0);
    const int run = active[get_global_id(1)];
    __global int *mine = label + (size_t)run * (n + ROOM);
    __global int *sizes = size + (size_t)run * (n + ROOM);
    if (get_local_id(0) == 0) {
        common = -1;
        times = 0;
    }
    // stale is harmless: others only replace a label by one nearer to the same root
    int root = v < n && !LABELLED(runs[run]) ? SHARED_LOAD(mine + v) : -1;
    if (root >= 0) {
        for (int above = SHARED_LOAD(mine + root); above != root; above = SHARED_LOAD(mine + root))
            root = above;
        SHARED_STORE(mine + v, root);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (root >= 0) atomic_cmpxchg(&common, -1, root);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (root >= 0) {
        if (root == common)
            atomic_inc(&times);
        else
            atomic_inc(sizes + root);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && times > 0) atomic_add(sizes + common, times);
}

__kernel void probes_biggest(const int n, __global const int *restrict active, __global run_t *runs,
                             __global const int *restrict label, __global const int *restrict size)
{
    RUN_OF(v, n, run)
    if (runs[run].mode != PROBE) return;
    const size_t place = (size_t)run * (n + ROOM) + v;
    // stale is harmless: a maximum only rises
    if (label[place] == v && size[place] > SHARED_LOAD(&runs[run].big)) atomic_max(&runs[run].big, size[place]);
}

// Of equally large components the one with the smallest vertex, which is its label.
__kernel void probes_root(const int n, __global const int *restrict active, __global run_t *runs,
                          __global const int *restrict label, __global const int *restrict size)
{
    RUN_OF(v, n, run)
    if (runs[run].mode != PROBE) return;
    const size_t place = (size_t)run * (n + ROOM) + v;
    if (label[place] == v && size[place] == runs[run].big) atomic_min(&runs[run].big_root, v);
}

// Follow the component that the run decided for.
__kernel void probes_narrow(const int n, __global const int *restrict active, __global const run_t *restrict runs,
                            __global const int *restrict label, __global uchar *restrict inside)
{
    RUN_OF(v, n, run)
    const int keep = runs[run].keep;
    if (keep >= 0) inside[(size_t)run * n + v] = label[(size_t)run * (n + ROOM) + v] == keep;
}

__kernel void probes_emit_members(const int n, const int targets, __global const int *restrict active,
                                  __global const run_t *restrict runs, __global const uchar *restrict inside,
                                  __global uint *restrict member, __global int *restrict count)
{
    const int words = (n + 31) / 32;
    RUN_OF(w, words, run)
    if (runs[run].emit == runs[run].target) return;
    uint bits = 0;
    for (int v = 32 * w; v < min(n, 32 * w + 32); ++v)
        bits |= (uint)inside[(size_t)run * n + v] << (v & 31);
    for (int k = runs[run].emit; k < runs[run].target; ++k) {
        const size_t slot = (size_t)run * targets + k;
        member[slot * words + w] = bits;
        if (w > 0) continue;
        count[3 * slot] = runs[run].size;
        count[3 * slot + 2] = runs[run].probes;
    }
}

// Counts the edges, too, into count[..][1], which is 0 before.
__kernel void probes_emit_edges(const int n, const int m, const ulong seed, const int targets,
                                __global const int *restrict active, __global const run_t *restrict runs,
                                __global const int *restrict low, __global const int *restrict high,
                                __global const uint *restrict key, __global const uchar *restrict inside,
                                __global uint *restrict kept, __global int *count)
{
    const int words = (m + 31) / 32;
    RUN_OF(w, words, run)
    if (runs[run].emit == runs[run].target) return;
    uint bits = 0;
    __global const uchar *mine = inside + (size_t)run * n;
    for (int e = 32 * w; e < min(m, 32 * w + 32); ++e) {
        int alive = mine[low[e]] && mine[high[e]];
#if EDGES
        alive = alive && is_after(runs[run].low, key[(size_t)run * m + e], seed + run, e, low, high);
#endif
        bits |= (uint)alive << (e & 31);
    }
    for (int k = runs[run].emit; k < runs[run].target; ++k) {
        const size_t slot = (size_t)run * targets + k;
#if EDGES
        kept[slot * words + w] = bits;
#endif
        if (bits) atomic_add(count + 3 * slot + 1, (int)popcount(bits));
    }
}
