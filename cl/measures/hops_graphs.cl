// measures/hops_graphs.cl: how many pairs (search, vertex) lie at each distance in each of several graphs: a work-item
// searches a graph alone, from WORDS * 64 vertices at once. For CPUs with more graphs than cores: nothing is shared, so
// that there are no atomics and no launch for each level, and pairs are counted as they are found.
//
// begin          int[graphs + 1]   where each graph's vertices begin
// source         int[graphs][most]   from which vertices it is searched; sources: how many there are
// both           ulong[n][2][WORDS]   which searches have reached a vertex, and which reach it in this level (0 between
//                                     levels)
// bits           ulong[n][WORDS]   which searches have the i-th vertex of the queue in their frontier
// queue, other   int[n]    the frontier; the next one (each graph has its own part of these arrays)
// count          ulong[graphs][most / 64][LEVELS]   for each 64 sources the pairs at each distance (0 before)
// deep           int[1]    set if a graph has longer distances: then `count` is of no use
//
// launch         one work-item for each graph
// tunables       WORDS, LEVELS

#ifndef WORDS
#define WORDS 4
#endif
#ifndef LEVELS
#define LEVELS 256
#endif

__kernel void hops_graphs(const int graphs, const int most, __global const int *restrict begin,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const int *restrict source, __global const int *restrict sources,
                          __global ulong *restrict both, __global ulong *restrict bits, __global int *queue,
                          __global int *other, __global ulong *restrict count, volatile __global int *deep)
{
    const int g = (int)get_global_id(0);
    if (g >= graphs)
        return;
    const int base = begin[g], end = begin[g + 1], all = sources[g];
    __global const int *from = source + (size_t)g * most;
    __global ulong *mine = bits + (size_t)base * WORDS;
    for (int done = 0; done < all; done += 64 * WORDS) {
        for (size_t i = (size_t)base * 2 * WORDS; i < (size_t)end * 2 * WORDS; i++)
            both[i] = 0;
        __global int *now = queue + base, *next = other + base;
        __global ulong *found = count + ((size_t)g * (most / 64) + done / 64) * LEVELS;
        int size = min(all - done, 64 * WORDS);
        for (int i = 0; i < size; i++) {
            now[i] = from[done + i];
            for (int k = 0; k < WORDS; k++)
                mine[i * WORDS + k] = i / 64 == k ? (ulong)1 << (i % 64) : 0;
            both[(size_t)now[i] * 2 * WORDS + i / 64] |= (ulong)1 << (i % 64);
            found[(size_t)(i / 64) * LEVELS]++;
        }
        for (int level = 1; size; level++) {
            int reached = 0;
            for (int i = 0; i < size; i++) {
                const int u = now[i];
                ulong front[WORDS];
                for (int k = 0; k < WORDS; k++)
                    front[k] = mine[(size_t)i * WORDS + k];
                for (OFFSET e = row_ptr[u]; e < row_ptr[u + 1]; e++) {
                    const int v = col_idx[e];
                    __global ulong *seen = both + (size_t)v * 2 * WORDS, *into = seen + WORDS;
                    ulong fresh[WORDS], any = 0, before = 0;
                    for (int k = 0; k < WORDS; k++) {
                        fresh[k] = front[k] & ~seen[k];
                        any |= fresh[k];
                    }
                    if (!any)
                        continue;
                    for (int k = 0; k < WORDS; k++) {
                        before |= into[k];
                        into[k] |= fresh[k];
                    }
                    if (!before)
                        next[reached++] = v;
                }
            }
            if (reached && level == LEVELS) {
                atomic_or(deep, 1);
                return;
            }
            ulong sum[WORDS];
            for (int k = 0; k < WORDS; k++)
                sum[k] = 0;
            for (int i = 0; i < reached; i++) {
                __global ulong *seen = both + (size_t)next[i] * 2 * WORDS, *into = seen + WORDS;
                for (int k = 0; k < WORDS; k++) {
                    const ulong got = into[k];
                    seen[k] |= got;
                    into[k] = 0;
                    mine[(size_t)i * WORDS + k] = got;
                    sum[k] += popcount(got);
                }
            }
            if (reached)
                for (int k = 0; k < WORDS && done + 64 * k < all; k++)
                    found[(size_t)k * LEVELS + level] = sum[k];
            __global int *turn = now;
            now = next;
            next = turn;
            size = reached;
        }
    }
}
