// sampling/replicates_settle.cl: the last deletions of each run, one by one, and what each run does next.
//
// See sampling/replicates_probes.cl. Between two bounds that are close, the deletions inside the followed component are
// listed, put in order, and undone from the last to the first by one work-item a run: the tree of merges of
// sampling/merge_tree.cl, whose leaves are the components at the upper bound (nodes 0 .. n-1, named by their smallest
// vertex) and whose node n + i is the i-th deletion of the list.
//
// launch          settle_collect (things, active runs), settle_order (ROOM, active runs), the others one work-item a run
// per run         unsorted, sorted: name int[ROOM] and priority ulong[ROOM]; smallest, child int[ROOM] of nodes

#include "replicates_probes.h"

__kernel void settle_collect(const int n, const int things, const ulong seed, __global const int *restrict active,
                             __global run_t *runs, __global const int *restrict low, __global const int *restrict high,
                             __global const uint *restrict key, __global const uchar *restrict inside,
                             __global int *restrict name, __global ulong *restrict priority)
{
    const int i = get_global_id(0);
    if (i >= things) return;
    const int run = active[get_global_id(1)];
    if (runs[run].mode != SETTLE) return;
    const uint mine = key[(size_t)run * things + i];
#if EDGES
    if (!inside[(size_t)run * n + low[i]] || !inside[(size_t)run * n + high[i]]) return;
#else
    if (!inside[(size_t)run * n + i]) return;
#endif
    if (!is_after(runs[run].low, mine, seed + run, i, low, high)) return;
    if (is_after(runs[run].at, mine, seed + run, i, low, high)) return;
    const int slot = atomic_inc(&runs[run].listed);
    if (slot >= ROOM) return;
    name[(size_t)run * ROOM + slot] = i;
    priority[(size_t)run * ROOM + slot] = thing_priority(seed + run, i, low, high);
}

__kernel void settle_order(__global const int *restrict active, __global const run_t *restrict runs,
                           __global const int *restrict name, __global const ulong *restrict priority,
                           __global int *restrict sorted, __global ulong *restrict sorted_priority)
{
    const int i = get_global_id(0);
    if (i >= ROOM) return;
    const int run = active[get_global_id(1)];
    const int listed = runs[run].listed;
    if (runs[run].mode != SETTLE || i >= listed || listed > ROOM) return;
    const size_t base = (size_t)run * ROOM;
    const ulong mine = priority[base + i];
    int before = 0;
    for (int j = 0; j < listed; ++j)
        before += priority[base + j] < mine || (priority[base + j] == mine && name[base + j] < name[base + i]);
    sorted[base + before] = name[base + i];
    sorted_priority[base + before] = mine;
}

static inline int top(__global int *up, int node)
{
    while (up[node] != node) {
        up[node] = up[up[node]];
        node = up[node];
    }
    return node;
}

// `part` becomes a child of `node` >= n, the kept one if it is the largest so far.
static inline void take(const int n, const int node, const int part, __global int *up, __global int *size,
                        __global int *smallest, __global int *child)
{
    const int best = child[node - n];
    const int least = part < n ? part : smallest[part - n];
    up[part] = node;
    if (best < 0 || size[part] > size[best] ||
        (size[part] == size[best] && least < (best < n ? best : smallest[best - n])))
        child[node - n] = part;
    size[node] += size[part];
    smallest[node - n] = min(smallest[node - n], least);
}

// Undoes the listed deletions and follows the component down to the target: `at` becomes the bound, and `centre` a
// vertex of the component that is followed there. fault[0] counts runs whose component came back with another size.
__kernel void settle_follow(const int n, const int count, __global const int *restrict active, __global run_t *runs,
                            __global const int *restrict target, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col_idx, __global const int *restrict low,
                            __global const int *restrict high, __global const int *restrict sorted,
                            __global const ulong *restrict priority, __global int *label, __global int *sizes, __global int *smallests, __global int *children,
                            __global int *fault)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    const int run = active[i];
    const int listed = runs[run].listed;
    if (runs[run].mode != SETTLE || listed > ROOM) return;
    __global int *up = label + (size_t)run * (n + ROOM);
    __global int *size = sizes + (size_t)run * (n + ROOM);
    __global int *smallest = smallests + (size_t)run * ROOM;
    __global int *child = children + (size_t)run * ROOM;
    __global const int *name = sorted + (size_t)run * ROOM;
    for (int j = listed - 1; j >= 0; --j) {
        const int node = n + j;
        child[j] = -1;
#if EDGES
        const int a = top(up, low[name[j]]), b = top(up, high[name[j]]);
        if (a == b) continue;
        up[node] = node;
        size[node] = 0;
        smallest[j] = n;
        take(n, node, a, up, size, smallest, child);
        take(n, node, b, up, size, smallest, child);
#else
        const int v = name[j];
        up[node] = up[v] = node;
        size[node] = 1;
        smallest[j] = v;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; ++p) {
            const int u = col_idx[p];
            if (up[u] < 0) continue;
            const int part = top(up, u);
            if (part != node) take(n, node, part, up, size, smallest, child);
        }
#endif
    }
    int node = top(up, runs[run].root), last = -1;
    if (size[node] != runs[run].size) atomic_inc(fault);
    const int goal = target[runs[run].target];
    while (size[node] > goal && node >= n && child[node - n] >= 0) {
        last = node - n;
        node = child[last];
    }
    if (size[node] <= goal && last >= 0) {
        const ulong bound = priority[(size_t)run * ROOM + last];
        runs[run].at = (bound_t){bound, (uint)(bound >> 32), name[last]};
    }
    runs[run].centre = node < n ? node : smallest[node - n];
}

// What each run does next; `left` counts those that are not done and `next` lists them. The runs of `active` are
// still needed for what the last step found.
__kernel void settle_decide(const int n, const int count, const int targets, const int few,
                            __global const int *restrict active, __global run_t *runs,
                            __global const int *restrict target, __global const int *restrict label,
                            __global const int *restrict sizes, __global int *restrict next, __global int *left,
                            __global int *fault)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    const int run = active[i];
    run_t r = runs[run];
    int halve = 0;
    r.keep = -1;
    r.labelled = 0;
    if (r.mode == SETTLE && r.listed <= ROOM) {
        r.mode = TAKE;   // at the bound that settle_follow found
        r.emit = r.target;
    } else {
        if (r.mode == SETTLE) {
            halve = 1;
        } else if (r.mode == TAKE) {
            r.keep = label[(size_t)run * (n + ROOM) + r.centre];
            r.size = sizes[(size_t)run * (n + ROOM) + r.keep];
            r.root = r.centre;
            r.low = r.at;
            r.high = NOTHING_AT(0xffffffffu);
            r.high_size = 0;
        } else if (r.mode == PROBE && 2 * (long)r.big > r.size && r.big > target[r.target]) {
            r.keep = r.root = r.big_root;
            r.size = r.big;
            r.low = r.at;
        } else if (r.mode == PROBE) {
            r.high = r.at;
            r.high_size = r.big;
            r.labelled = 1;
        }
        r.emit = r.target;
        while (r.target < targets && r.size <= target[r.target])
            ++r.target;
        const uint gap = r.high.key - r.low.key;
        // keys between which some FEW deletions lie: the followed component's are spread evenly above `low`
        const ulong near = max(1ul, (0xfffffffful - r.low.key) / r.size * few);
        if (r.target == targets) {
            r.mode = DONE;
        } else if (gap <= near && !halve) {
            r.mode = SETTLE;
            r.at = r.high;
            r.listed = 0;
        } else {
            if (gap < 2) atomic_inc(fault);
            // False position, now and then the middle; to either side of the guess in turn, so that both bounds close
            // in. Steps are such that more than half is expected to be left.
            const int goal = max(target[r.target], 2 * (long)r.high_size > r.size ? 0 : (int)((long)r.size * 6 / 10));
            const long aside = (long)min(near, (ulong)gap) / 2;
            long place = gap / 2;
            if (r.probes % 3 < 2 && !halve && r.high_size <= goal)
                place = (ulong)gap * (r.size - goal) / (r.size - r.high_size) + (r.probes % 2 ? -aside : aside);
            place = min(max(place, 1l), max((long)gap - 1, 1l));
            r.at = NOTHING_AT(r.low.key + (uint)place);
            r.mode = PROBE;
            r.labelled = 0;
            ++r.probes;
        }
        r.big = 0;
        r.big_root = n;
    }
    runs[run] = r;
    if (r.mode != DONE) next[atomic_inc(left)] = run;
}
