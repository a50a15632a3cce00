// components/finder.h: the rows that components/finder.cl reads, and how it joins two vertices.
//
// rows            v's neighbours are edges[v_start[v] .. v_end[v + END_SHIFT]): a plain CSR passes row_ptr twice
//                 (END_SHIFT 1), the COPRA arrays pass theirs (END_SHIFT 0, HAS_DEAD)
// variants        HAS_DEAD    v_start[v] < 0: v is absent; edges[e] < 0: the slot is dead
//                 MASKED      the caller has filled label: -1 = absent, >= 0 = present
//                 ARC_KEY=T   arc e is present iff threshold <= arc_key[e] <= newest (all of unsigned type T)
//                 OFFSET      type of v_start and v_end (int, or long from 2^31 slots on)
// tunables        LONG_ROW, PIECE: longer rows are cut into pieces for work-groups (GPUs only);
//                 BATCH labels are fetched without a branch in between before any is acted upon, so that their
//                 cache misses overlap (3 to 5 times faster on a CPU: most labels agree and need no action)

#ifndef END_SHIFT
#ifdef HAS_DEAD
#define END_SHIFT 0
#else
#define END_SHIFT 1
#endif
#endif
#ifndef LONG_ROW
#ifdef KIND_GPU
#define LONG_ROW 64
#else
#define LONG_ROW 0x7fffffff   // one core reads a row as fast as it reads anything else
#endif
#endif
#ifndef PIECE
#define PIECE 1024
#endif
#ifndef BATCH
#ifdef KIND_GPU
#define BATCH 4
#else
#define BATCH 16
#endif
#endif
// state int[3]
#define GIANT 0               // root of the giant when it was sampled
#define PIECES 1              // entries in the queue of long rows
#define SHARE 2               // of the sampled labels, how many were the giant's (LINK_EVERY > 1)

// for (each batch first .. last - 1 of this work-item's ITEMS vertices)
#define FOR_BATCHES(first, last, n)                                                                              \
    for (int first = (int)min((long)get_global_id(0) * ITEMS, (long)(n)),                                        \
             first##_end = (int)min((long)first + ITEMS, (long)(n)), last = min(first, first##_end - BATCH) + BATCH; \
         first < first##_end; first = last, last = min(last, first##_end - BATCH) + BATCH)

#define ROWS __global const OFFSET *restrict v_start, __global const OFFSET *restrict v_end, \
             __global const int *restrict edges
#ifdef ARC_KEY
#define ARC_ARGS , __global const ARC_KEY *restrict arc_key, const ARC_KEY threshold, const ARC_KEY newest
#define ARC_PASS , arc_key, threshold, newest
#else
#define ARC_ARGS
#define ARC_PASS
#endif

// The neighbour in slot e, or -1 if that arc is absent.
static inline int neighbor(OFFSET e, __global const int *restrict edges, __global int *label ARC_ARGS)
{
    int u = edges[e];
#ifdef ARC_KEY
    if (arc_key[e] < threshold || arc_key[e] > newest) return -1;
#endif
#ifdef MASKED
    // stale is harmless: a launch never turns a label from -1 to >= 0 or back
    if (u >= 0 && SHARED_LOAD(label + u) < 0) return -1;
#endif
    return u;
}

// Put u and v under one root. Stale reads are harmless: labels only ever fall, a stale one is still an
// ancestor, and the hook itself is a compare-and-swap that fails unless `high` is a root at that moment.
static inline void join(__global int *label, int u, int v)
{
    int a = SHARED_LOAD(label + u);
    int b = SHARED_LOAD(label + v);
    while (a != b) {
        int high = max(a, b);
        int low = min(a, b);
        int above = SHARED_LOAD(label + high);
        if (above == low) return;
        if (above == high && atomic_cmpxchg(label + high, high, low) == high) return;
        a = SHARED_LOAD(label + SHARED_LOAD(label + high));   // an ancestor of `high`: see above
        b = SHARED_LOAD(label + low);
    }
}

// Join v with the neighbours in slots begin, begin + stride, ... before end.
static inline void join_slots(__global int *label, int v, OFFSET begin, int stride, OFFSET end,
                              __global const int *restrict edges ARC_ARGS)
{
    for (OFFSET e = begin; e < end; e += BATCH * stride) {
        OFFSET last = end - e > BATCH * stride ? e + BATCH * stride : end;
        int mine = SHARED_LOAD(label + v);
        int differ = 0;
        for (OFFSET i = e; i < last; i += stride) {
            int u = neighbor(i, edges, label ARC_PASS);
            differ |= mine ^ SHARED_LOAD(label + (u < 0 ? v : u));   // stale is harmless: join() looks again
        }
        if (differ == 0) continue;
        for (OFFSET i = e; i < last; i += stride) {
            int u = neighbor(i, edges, label ARC_PASS);
            if (u >= 0) join(label, v, u);
        }
    }
}
