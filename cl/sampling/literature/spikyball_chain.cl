// sampling/literature/spikyball_chain.cl: small stages of spikyballs (spikyball.cl), one after the other.
//
// A stage of some hundred arcs is not worth a dozen launches. Its arcs are listed, those of smallest keys are found by eight
// bits at a time, and in[] is 0 again afterwards. A stage of more than ROOM arcs is left to spikyball.cl.
//
// top, bottom  the share of a stage's arcs that is taken
// list, key    long[runs * room], ulong[runs * room]: the arcs of a stage, their keys
// crowded int[2]: how many runs have a stage of more; the most that are to act in one of these
// launch  a run per work-item, about `acts` arcs each at most, so that no driver's watchdog ends it

#include "keyed.h"
#include "sampling/literature/clock.h"
#include "sampling/literature/spikyball.h"

// The key of rank `wanted` (from 1) among many; left: its rank among equal ones.
static inline ulong key_of_rank(int many, int wanted, __global const ulong *key, int *left)
{
    ulong known = 0;
    for (int shift = 56; shift >= 0; shift -= 8) {
        int count[256];
        for (int i = 0; i < 256; i++)
            count[i] = 0;
        for (int i = 0; i < many; i++)
            if (shift == 56 || key[i] >> (shift + 8) == known >> (shift + 8)) count[(int)(key[i] >> shift) & 255]++;
        int bin = 0;
        while (wanted > count[bin])
            wanted -= count[bin++];
        known |= (ulong)bin << shift;
    }
    *left = wanted;
    return known;
}

// The arcs of a stage: how many; -1: more than there is room for.
static inline int arcs_of(int begin, int end, int room, __global const OFFSET *row_ptr, __global const int *col_idx,
                          __global const ulong *weight, __global const int *order, __global const uint *mine,
                          __global int *out, __global int *in, __global long *list)
{
    int many = 0, fits = 1;
    for (int i = begin; i < end && fits; i++) {
        const int v = order[i], before = many;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1] && fits; p++)
            if (is_arc(p, row_ptr[v], col_idx, weight, mine)) {
                fits = many < room;
                if (fits) {
                    list[many++] = p;
                    in[col_idx[p]]++;
                }
            }
        out[v] = many - before;
    }
    for (int i = 0; i < many && !fits; i++)
        in[col_idx[list[i]]] = 0;
    return fits ? many : -1;
}

__kernel void spikyball_chain(const int n, const int runs, const ulong seed, const int a, const int b, const int c,
                              const ulong top, const ulong bottom, const int room, const int acts,
                              __global const ulong *restrict table, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global const ulong *restrict weight,
                              __global const int *restrict target, __global int *restrict status,
                              __global int *restrict from, __global int *restrict to, __global uint *restrict round,
                              __global uint *restrict last, __global int *restrict order, __global uint *restrict claim,
                              __global int *restrict parent, __global int *restrict seen, __global int *restrict named,
                              __global int *restrict out, __global int *restrict in, __global long *restrict list,
                              __global ulong *restrict key, volatile __global int *restrict crowded)
{
    const int run = (int)get_global_id(0);
    int now = run < runs ? status[run] : OVER, left = acts, large = 0;
    const long base = (long)min(run, runs - 1) * n, at = (long)min(run, runs - 1) * room;
    __global uint *mine = claim + base;
    while (now == CROWDED && left > 0) {
        const uint stage = round[run] + 1;
        const int many = arcs_of(from[run], to[run], room, row_ptr, col_idx, weight, order + base, mine, out + base,
                                 in + base, list + at);
        if (many < 0) {
            atomic_inc(&crowded[0]);
            atomic_max(&crowded[1], to[run] - from[run]);
            large = 1;
            break;
        }
        int fresh = seen[run], e = 0;
        for (int i = from[run]; i < to[run]; i++) {
            const int v = order[base + i];
            for (int end = e + out[base + v]; e < end; e++) {
                const int u = col_idx[list[at + e]];
                key[at + e] = key_of_arc(seed + run, v, u, stage, (ulong)out[base + v], (ulong)in[base + u],
                                         weight ? weight[list[at + e]] : 0, a, b, c, table);
            }
        }
        int quota = 0;
        const int wanted = max(1, (int)((2 * top * (ulong)many + bottom) / (2 * bottom)));
        const ulong cut = many ? key_of_rank(many, wanted, key + at, &quota) : 0;
        e = 0;
        for (int i = from[run]; i < to[run]; i++) {
            const int v = order[base + i];
            for (int end = e + out[base + v]; e < end; e++) {
                const long p = list[at + e];
                const int u = col_idx[p];
                int rank = 0;   // of equal keys the arcs that come first
                for (int other = 0; key[at + e] == cut && other < many; other++)
                    rank += key[at + other] == cut && list[at + other] < p;
                in[base + u] = 0;
                if (key[at + e] > cut || rank >= quota) continue;
                if (named) named[(long)run * row_ptr[n] + p] = 1;
                if (mine[u] == UNSEEN) order[base + fresh++] = u;
                mine[u] = stage;
                if (parent) parent[base + u] = min(parent[base + u], v);
            }
        }
        seen[run] = fresh;
        left -= many + 1;
        round[run] = stage;
        from[run] = to[run];
        now = fresh > to[run] ? CROWDED : WANTING;
        to[run] = fresh;
        if (fresh >= target[run]) {
            last[run] = stage;
            now = OVER;
        }
    }
    if (run < runs && !large) status[run] = now == CROWDED ? GOING : now;
}
