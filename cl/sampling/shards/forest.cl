// sampling/shards/forest.cl: the maximum spanning forest by deletion order, by Boruvka's rounds (Otakar Boruvka,
// 1926).
//
// An edge is a word a << 32 | b, its time t the keyed priority by which it leaves the graph: drv: a is the end that is
// deleted first, t = vertex_priority(a); dre: a < b, t = edge_priority(a, b). Edges are ordered by (t, word); a larger
// one lives longer. In each round every tree takes the largest edge that leaves it, and is hooked onto the tree at the
// other end; two trees that take the same edge hook the one with the larger number. The forest of a list of edges is
// unique, so neither the order in the list nor the cut into chunks matters.
//
// words   ulong[]   the list of edges; 0: none. In chunks of CHUNK places: of chunk c, count[c] are in use from place
// begin, count      c * CHUNK + begin[c] on. Edges inside a tree are dropped in place, in any order within the chunk.
// times   ulong[]   t of each word with KEEP_TIMES; without, t is computed from the word (GPUs: cheaper than the load)
// label   int[n]    root of the vertex's tree         up  int[n]  what a root was hooked onto, else itself
// best_t  ulong[n]  of roots: time of the largest edge that leaves the tree
// best_e  ulong[n]  of roots: its word, 0: none yet; of others: the word by which they, then roots, were hooked. So at the
//                   end it is the forest
// launch            a chunk is taken by one work-group of LANES work-items; the kernels without lanes: padded
//                   ranges, ITEMS each (forest_start, _hook, _climb, _label: consecutive vertices)
// tunables          CHUNK, LANES, ITEMS, KEEP_TIMES; BY_EDGE (dre), OFFSET (type of row_ptr)
//
// Without 64-bit atomics the maxima of time and word are found half by half: four steps instead of two.

#include "sampling/shards/forest.h"

// Oclgrind's race detector takes the plain first look of `raise` for a race
#if defined(HAVE_INT64_ATOMICS) && !defined(CHECK_RACES)
#define WHOLE 1
#else
#define WHOLE 0
#endif

#if KEEP_TIMES
#define TIME(place) times[place]
#else
#define TIME(place) time_of(seed, words[place])
#endif

#ifdef __ENDIAN_LITTLE__
#define HALF(values, i, high) (((volatile __global uint *)(values)) + 2 * (size_t)(i) + (high))
#else
#define HALF(values, i, high) (((volatile __global uint *)(values)) + 2 * (size_t)(i) + !(high))
#endif

// A stale value is a smaller one: then the atomic is tried in vain.
static inline void raise_half(volatile __global uint *part, uint value)
{
    if (value > SHARED_LOAD(part))
        atomic_max(part, value);
}

#if WHOLE
static inline void raise_whole(volatile __global ulong *best, ulong value)
{
    if (value > *best)
        atom_max(best, value);
}
#endif

// Chunks over the list's first `total` places.
__kernel void forest_open(const int chunks, const long total, __global int *restrict begin, __global int *restrict count)
{
    FOR_ITEMS(c, chunks) {
        begin[c] = 0;
        count[c] = (int)min((long)CHUNK, total - (long)c * CHUNK);
    }
}

// The forest so far becomes the first n places of the list.
__kernel void forest_list(const int n, const ulong seed, __global const ulong *restrict forest,
                          __global ulong *restrict words, __global ulong *restrict times)
{
    FOR_ITEMS(v, n) {
        words[v] = forest[v];
#if KEEP_TIMES
        times[v] = time_of(seed, forest[v]);
#endif
    }
}

// Words from elsewhere, put into the list from place `at` on.
__kernel void forest_words(const long count, const long at, const ulong seed, __global const ulong *restrict from,
                           __global ulong *restrict words, __global ulong *restrict times)
{
    FOR_ITEMS_LONG(i, count) {
        words[at + i] = from[i];
#if KEEP_TIMES
        times[at + i] = time_of(seed, from[i]);
#endif
    }
}

// Of each chunk, edges of time `least` and more come first; begin and count are set to them, rest to what follows.
__kernel void forest_split(const ulong least, const ulong seed, __global ulong *restrict words,
                           __global ulong *restrict times, __global int *restrict begin, __global int *restrict count,
                           __global int *restrict rest_begin, __global int *restrict rest_count)
{
    const int c = get_group_id(0), lane = get_local_id(0);
    const long base = (long)c * CHUNK;
    const int all = count[c];
#if LANES == 1
    int low = 0, high = all;
    while (low < high) {
        if (TIME(base + low) >= least)
            low++;
        else {
            high--;
            const ulong word = words[base + low];
            words[base + low] = words[base + high];
            words[base + high] = word;
#if KEEP_TIMES
            const ulong t = times[base + low];
            times[base + low] = times[base + high];
            times[base + high] = t;
#endif
        }
    }
    const int first = low;
#else
    __local ulong held[CHUNK];
    __local int placed[2];
    if (lane < 2)
        placed[lane] = 0;
    for (int i = lane; i < all; i += LANES)
        held[i] = words[base + i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int i = lane; i < all; i += LANES) {
        const int later = time_of(seed, held[i]) < least;
        const int at = atomic_inc(&placed[later]);
        words[base + (later ? all - 1 - at : at)] = held[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int first = placed[0];
#endif
    if (lane == 0) {
        begin[c] = 0;
        count[c] = first;
        rest_begin[c] = first;
        rest_count[c] = all - first;
    }
}

// Drops edges inside a tree; each other one raises the time of the trees at its ends. `left` counts the chunks in
// which edges stay.
__kernel void forest_propose(const ulong seed, __global ulong *restrict words, __global ulong *restrict times,
                             __global const int *restrict begin, __global int *restrict count,
                             __global const int *restrict label, __global ulong *best_t, volatile __global int *left)
{
    const int c = get_group_id(0), lane = get_local_id(0);
    const long base = (long)c * CHUNK + begin[c];
    const int all = count[c];
#if LANES > 1
    __local int placed;
    if (lane == 0)
        placed = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // also: count[c] has been read by all
#else
    int placed = 0;
#endif
    for (int tile = 0; tile < all; tile += LANES) {
        const int i = tile + lane;
        const ulong word = i < all ? words[base + i] : 0;
        const int la = label[(uint)(word >> 32)], lb = label[(uint)word];
        const int stays = word != 0 && la != lb;
        ulong t = 0;
        if (stays) {
            t = TIME(base + i);
#if WHOLE
            raise_whole(&best_t[la], t);
            raise_whole(&best_t[lb], t);
#else
            raise_half(HALF(best_t, la, 1), (uint)(t >> 32));
            raise_half(HALF(best_t, lb, 1), (uint)(t >> 32));
#endif
        }
#if LANES > 1
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // the tile has been read before places in it are taken
        const int at = stays ? atomic_inc(&placed) : 0;
#else
        const int at = placed;
        placed += stays;
#endif
        if (stays) {
            words[base + at] = word;
#if KEEP_TIMES
            times[base + at] = t;
#endif
        }
#if LANES > 1
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#endif
    }
    if (lane == 0) {
        count[c] = placed;
        if (placed)
            atomic_inc(left);
    }
}

// Among the edges that are largest so far at one of their trees, the next part of (time, word) is raised. With 64-bit
// atomics there is one step, for the whole word; else 0 is the lower half of the time, 1 and 2 are the word's halves.
__kernel void forest_raise(const int step, const ulong seed, __global const ulong *restrict words,
                           __global const ulong *restrict times, __global const int *restrict begin,
                           __global const int *restrict count, __global const int *restrict label,
                           __global ulong *best_t, __global ulong *best_e)
{
    const int c = get_group_id(0);
    const long base = (long)c * CHUNK + begin[c];
    const int all = count[c];
    for (int i = get_local_id(0); i < all; i += LANES) {
        const ulong word = words[base + i], t = TIME(base + i);
        for (int end = 0; end < 2; end++) {
            const int root = label[end ? (uint)word : (uint)(word >> 32)];
#if WHOLE
            if (t == best_t[root])
                raise_whole(&best_e[root], word);
#else
            // what this step raises is compared by later steps only
            const int high = *HALF(best_t, root, 1) == (uint)(t >> 32);
            if (step == 0 && high)
                raise_half(HALF(best_t, root, 0), (uint)t);
            if (step == 1 && high && *HALF(best_t, root, 0) == (uint)t)
                raise_half(HALF(best_e, root, 1), (uint)(word >> 32));
            if (step == 2 && high && *HALF(best_t, root, 0) == (uint)t
                && *HALF(best_e, root, 1) == (uint)(word >> 32))
                raise_half(HALF(best_e, root, 0), (uint)word);
#endif
        }
    }
}

// The trees: hooked onto each other, and relabelled.
__kernel void forest_start(const int n, __global int *restrict label, __global int *restrict up,
                           __global ulong *restrict best_t, __global ulong *restrict best_e)
{
    FOR_ITEMS(v, n) {
        label[v] = up[v] = v;
        best_t[v] = best_e[v] = 0;
    }
}

__kernel void forest_hook(const int n, __global const int *restrict label, __global const ulong *restrict best_e,
                          __global int *restrict up)
{
    FOR_ITEMS(v, n)
        if (label[v] == v && best_e[v] != 0) {
            const ulong word = best_e[v];
            const int la = label[(uint)(word >> 32)];
            const int other = la == v ? label[(uint)word] : la;
            if (best_e[other] != word || v > other)
                up[v] = other;
        }
}

// Every root of this round finds the top of its chain. Others write their own slots meanwhile, always something further
// up the same chain, so a stale value only makes the way longer.
__kernel void forest_climb(const int n, __global const int *restrict label, __global int *up)
{
    FOR_ITEMS(v, n)
        if (label[v] == v) {
            int top = SHARED_LOAD(&up[v]);
            for (int next = SHARED_LOAD(&up[top]); next != top; next = SHARED_LOAD(&up[top]))
                top = next;
            SHARED_STORE(&up[v], top);
        }
}

__kernel void forest_label(const int n, __global const int *restrict up, __global int *restrict label,
                           __global ulong *restrict best_t, __global ulong *restrict best_e)
{
    FOR_ITEMS(v, n) {
        label[v] = up[label[v]];
        best_t[v] = 0;
        if (up[v] == v)   // still a root
            best_e[v] = 0;
    }
}
