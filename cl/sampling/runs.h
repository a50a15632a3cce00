// sampling/runs.h: what kernels with a work-group of LOCAL per run share: sums over the group, and forests.
//
// TOGETHER             a barrier; nothing where LOCAL is 1 (CPUs)
// SUMS_UP_TO(box, lane)   box[lane] becomes the sum of those up to this one; at kernel level

#ifndef LOCAL
#define LOCAL 1
#endif
#if LOCAL > 1
#define TOGETHER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define SUMS_UP_TO(box, lane)                               \
    for (int by_ = 1; by_ < LOCAL; by_ *= 2) {              \
        TOGETHER;                                           \
        const int less_ = lane >= by_ ? box[lane - by_] : 0; \
        TOGETHER;                                           \
        box[lane] += less_;                                 \
    }                                                       \
    TOGETHER
#else
#define TOGETHER
#define SUMS_UP_TO(box, lane)
#endif

// label   int[n]   a forest: label[v] <= v; a root has label[r] == r

// The root of v's tree; the path to it becomes half as long. Stale reads are harmless: labels only ever fall, and what
// is written is an ancestor of a vertex that is no root, and so will never be one again.
static inline int root_above(int v, __global int *label)
{
    for (;;) {
        const int above = SHARED_LOAD(label + v);
        if (above == v)
            return v;
        const int next = SHARED_LOAD(label + above);
        if (next != above)
            SHARED_STORE(label + v, next);
        v = next;
    }
}

// Joins the trees of u and v; returns whether they were two: each success leaves one tree fewer.
static inline int join(int u, int v, __global int *label)
{
    for (;;) {
        const int a = root_above(u, label), b = root_above(v, label);
        if (a == b)
            return 0;
        if (atomic_cmpxchg(label + max(a, b), max(a, b), min(a, b)) == max(a, b))
            return 1;   // else it has got another root above it in the meantime
    }
}
