// measures/hops_graphs.cl: how many pairs (search, vertex) lie at each distance in each of several graphs: a work-item
// searches a graph alone, from WORDS * 64 vertices at once. For CPUs with more graphs than cores: nothing is shared, so
// that there are no atomics and no launch for each level, and pairs are counted as they are found. Or one graph, which
// each work-item searches from other vertices: a row is read for WORDS * 64 searches, and waits for memory once.
//
// alone          the vertices of the graph that all work-items search, each with a part of both, bits, queue and other
//                for itself; 0: each work-item has a graph of its own
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

// A work-item waits for what it reads from memory, unless it has asked for it some entries of the queue before.
#ifdef HAVE_PREFETCH
#define SOON(place) __builtin_prefetch(place)
#else
#define SOON(place) (void)0
#endif
// Entries of the queue: what a row's arcs lead to, twice as far ahead the row, three times where it begins. (3 M vertices,
// a Xeon: 8 takes 5.3 s, 4 and 16 take 5.7 and 6.2 s.)
#define AHEAD 8
#define FAR (1 << 14)  // vertices of a graph that is not in the caches

__kernel void hops_graphs(const int graphs, const int most, const int alone, __global const int *restrict begin,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const int *restrict source, __global const int *restrict sources,
                          __global ulong *restrict both, __global ulong *restrict bits, __global int *queue,
                          __global int *other, __global ulong *restrict count, volatile __global int *deep)
{
    const int g = (int)get_global_id(0);
    if (g >= graphs)
        return;
    const int base = alone ? 0 : begin[g], end = alone ? alone : begin[g + 1], all = sources[g];
    const size_t before_mine = (size_t)g * alone;
    const int far = end - base > FAR;
    __global const int *from = source + (size_t)g * most;
    both += before_mine * 2 * WORDS;
    __global ulong *mine = bits + (before_mine + base) * WORDS;
    for (int done = 0; done < all; done += 64 * WORDS) {
        for (size_t i = (size_t)base * 2 * WORDS; i < (size_t)end * 2 * WORDS; i++)
            both[i] = 0;
        __global int *now = queue + before_mine + base, *next = other + before_mine + base;
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
#ifdef HAVE_PREFETCH
                if (far && i < size - 3 * AHEAD) {
                    // of a hub only what will still be in the caches when its turn comes
                    const OFFSET first = row_ptr[now[i + AHEAD]], last = row_ptr[now[i + AHEAD] + 1];
                    for (OFFSET e = first; e < last && e - first < 64; e++)
                        SOON(both + (size_t)col_idx[e] * 2 * WORDS);
                    SOON(col_idx + row_ptr[now[i + 2 * AHEAD]]);
                    SOON(row_ptr + now[i + 3 * AHEAD]);
                }
#endif
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
                if (far)
                    SOON(both + (size_t)next[min(i + 3 * AHEAD, reached - 1)] * 2 * WORDS);
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
