// sampling/replicates_probes.h: what the runs of sampling/replicates_probes.cl and replicates_settle.cl have in common.
//
// EDGES       1: edges are deleted (dre), 0: vertices (drv); "things" are what is deleted, numbered by their names
// A bound is a place in the order of deletions: what comes after (key, priority, name) is alive there. The key is the
// upper half of a priority, and the only part that is kept. Where priority is all ones, nothing of that key is alive.

#include "../keyed.h"

#ifndef EDGES
#define EDGES 0
#endif
#ifndef ROOM
#define ROOM 1088   // deletions that can be taken one by one
#endif

#define PROBE 0     // label what is alive at `at` inside the followed component, and find the largest
#define SETTLE 1    // the same at `high`, then take the deletions between the bounds one by one
#define TAKE 2      // the same at `at`, then follow the component of `centre`
#define START 3
#define DONE 4

typedef struct {
    ulong priority;
    uint key;
    int name;
} bound_t;

// A run. `size` vertices are followed at `low`, `root` is one of them; `at` is the bound that is looked at.
typedef struct {
    bound_t low, high, at;
    int size, root;
    int high_size;          // a guess: vertices of the largest component at `high`
    int mode;
    int labelled;           // the labels are those of `at` already
    int big, big_root;      // largest component of a labelling
    int listed;             // deletions between the bounds; more than ROOM: too many to be listed
    int centre;
    int target;             // how many targets are reached
    int keep;               // label of the component that is followed from now on, or -1
    int emit;               // targets emit .. target - 1 have been reached by the last step
    int probes;
    int unused;             // instead of padding, which would be copied uninitialised
} run_t;

#ifdef RUN_BYTES
typedef char run_bytes_as_the_host_has_it[sizeof(run_t) == RUN_BYTES ? 1 : -1];
#endif

#define NOTHING_AT(key) ((bound_t){~0ul, (key), 0})

static inline ulong thing_priority(const ulong seed, const int name, __global const int *restrict low,
                                   __global const int *restrict high)
{
#if EDGES
    int copy = 0;
    while (name > copy && low[name - copy - 1] == low[name] && high[name - copy - 1] == high[name])
        ++copy;
    return edge_priority(seed, low[name], high[name], copy);
#else
    return vertex_priority(seed, name);
#endif
}

static inline int is_after(const bound_t bound, const uint key, const ulong seed, const int name,
                           __global const int *restrict low, __global const int *restrict high)
{
    if (key != bound.key) return key > bound.key;
    if (bound.priority == ~0ul) return 0;
    const ulong priority = thing_priority(seed, name, low, high);
    return priority > bound.priority || (priority == bound.priority && name > bound.name);
}
