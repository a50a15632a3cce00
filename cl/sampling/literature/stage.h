// sampling/literature/stage.h: what a vertex takes of its neighbours when it acts, and where a stage ends; after clock.h.
// METHOD: 0 snowball, 1 ff, 2 rds. (No restrict on parameters of functions: Oclgrind does not know what LLVM makes of it.)

#ifndef METHOD
#define METHOD 0
#endif

#define GOING 0
#define WANTING 1
#define OVER 2
#define CROWDED 3
#define UNSEEN 0xFFFFFFFFu
#define KEPT 8   // names that are found in one pass

// How many of the descending limits are above x.
static inline int limits_above(ulong x, int limits, __global const ulong *limit)
{
    int low = 0, high = limits;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (limit[middle] > x) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Whether the entry p of a row is a name: the first of parallel ones, and open to be taken.
static inline int is_name(OFFSET p, OFFSET begin, uint round, __global const int *col_idx, __global uint *mine)
{
    if (p > begin && col_idx[p] == col_idx[p - 1]) return 0;
#if METHOD == 0
    return 1;
#else
    return SHARED_LOAD(mine + col_idx[p]) >= round;   // claimed in this round or not: unseen at its beginning
#endif
}

// The largest number among the `wanted` smallest of v's names, if they are more; else NONE.
static inline ulong names_until(ulong seed, int v, OFFSET begin, OFFSET end, int wanted, uint round,
                                __global const int *col_idx, __global uint *mine)
{
    if (end - begin <= wanted) return NONE;
    if (wanted <= KEPT) {
        ulong kept[KEPT];   // ascending
        int all = 0;
        for (OFFSET p = begin; p < end; p++)
            if (is_name(p, begin, round, col_idx, mine)) {
                const ulong x = arc_number(seed, v, col_idx[p]);
                int at = min(all++, wanted);
                if (at == wanted && x > kept[wanted - 1]) continue;
                for (at = min(at, wanted - 1); at > 0 && kept[at - 1] > x; at--)
                    kept[at] = kept[at - 1];
                kept[at] = x;
            }
        return all > wanted ? kept[wanted - 1] : NONE;
    }
    int all = 0;
    for (OFFSET p = begin; p < end; p++)
        all += is_name(p, begin, round, col_idx, mine);
    if (all <= wanted) return NONE;
    ulong low = 0;
    int need = wanted;
    for (int shift = 60; shift >= 0; shift -= 4) {   // four more bits at a time
        int count[16];
        for (int i = 0; i < 16; i++)
            count[i] = 0;
        for (OFFSET p = begin; p < end; p++)
            if (is_name(p, begin, round, col_idx, mine)) {
                const ulong x = arc_number(seed, v, col_idx[p]);
                if (x >= low && ((x - low) >> shift) < 16) count[(int)((x - low) >> shift)]++;
            }
        int bin = 0;
        while (bin < 15 && need > count[bin])
            need -= count[bin++];
        if (need == count[bin] || shift == 0) return low + (((ulong)bin + 1) << shift) - 1;
        low += (ulong)bin << shift;
    }
    return low;
}

// v takes up to `wanted` names, all at once; what is new goes to the end of the run's list.
static inline void take_names(const int n, ulong seed, int run, int v, int wanted, uint round,
                              __global const OFFSET *row_ptr, __global const int *col_idx, __global uint *claim,
                              volatile __global int *parent, __global int *order, volatile __global int *seen,
                              volatile __global int *named)
{
    const OFFSET begin = row_ptr[v], end = row_ptr[v + 1];
    __global uint *mine = claim + (long)run * n;
    const ulong until = wanted ? names_until(seed, v, begin, end, wanted, round, col_idx, mine) : 0;
    for (OFFSET p = begin; wanted && p < end; p++)
        if (is_name(p, begin, round, col_idx, mine)) {
            const int u = col_idx[p];
            if (until == NONE || arc_number(seed, v, u) <= until) {
                if (named) atomic_or(&named[(long)run * row_ptr[n] + p], 1);
                if (SHARED_LOAD(mine + u) >= round) {
                    if (atomic_min((volatile __global uint *)(mine + u), round) == UNSEEN)
                        order[(long)run * n + atomic_inc(&seen[run])] = u;
                    if (parent) atomic_min(&parent[(long)run * n + u], v);
                }
            }
        }
}

// What v takes, forward and (of directed fires, where back_ptr is not NULL) backward.
static inline void act(const int n, ulong seed, int run, int v, uint round, int most, int limits, int back_limits,
                       __global const ulong *limit, __global const OFFSET *row_ptr, __global const int *col_idx,
                       __global const OFFSET *back_ptr, __global const int *back_idx, __global uint *claim,
                       volatile __global int *parent, __global int *order, volatile __global int *seen,
                       volatile __global int *named)
{
    int wanted = most;
#if METHOD == 1
    const philox4x32_ctr_t coin = keyed_words(seed, v, 0, 0, TAG_COIN);
    wanted = limits_above(keyed_a(coin), limits, limit);
#endif
    take_names(n, seed, run, v, wanted, round, row_ptr, col_idx, claim, parent, order, seen, named);
#if METHOD == 1
    if (back_ptr)
        take_names(n, seed, run, v, limits_above(keyed_b(coin), back_limits, limit + limits), round, back_ptr, back_idx,
                   claim, parent, order, seen, 0);
#endif
}

// After stage `round` of a run: who acts in the next one; what becomes of the run.
static inline int judge(int run, uint rounds, __global const int *target, volatile __global int *seen,
                        __global int *from, __global int *to, __global uint *round, __global uint *last)
{
    const int many = seen[run], fresh = many > to[run];
    const uint now = ++round[run];
    from[run] = to[run];
    to[run] = many;
    if (many >= target[run] || now >= rounds) {
        last[run] = now;
        return OVER;
    }
    return fresh ? GOING : rounds == UNSEEN ? WANTING : OVER;
}
