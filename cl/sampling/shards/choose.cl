// sampling/shards/choose.cl: the forest of a graph's edges (sampling/shards/forest.cl) as a graph of its own, and what
// a sample of it means for the whole graph: a bit for each vertex, and the last deletion.
//
// words   ulong[n]   edges a << 32 | b, 0: none      before  int[]   how many edges stand before each place
// live    uchar[n]   1: in the sample                member  uint[]  a bit for each vertex
// launch  padded ranges, ITEMS places (choose_bits: words of 32 vertices) each; choose_cut: `lanes` work-items, of which
//         each looks at `run` consecutive places, or with run 0 at every lanes-th one
// tunables ITEMS, BY_EDGE

#include "sampling/shards/forest.h"

__kernel void choose_present(const int n, __global const ulong *restrict words, __global uchar *restrict present)
{
    FOR_ITEMS(v, n)
        present[v] = words[v] != 0;
}

__kernel void choose_ends(const int n, __global const ulong *restrict words, __global const int *restrict before,
                          __global int *restrict tail, __global int *restrict head)
{
    FOR_ITEMS(v, n)
        if (words[v] != 0) {
            tail[before[v]] = (int)(words[v] >> 32);
            head[before[v]] = (int)(uint)words[v];
        }
}

__kernel void choose_bits(const int words, const int n, __global const uchar *restrict live,
                          __global uint *restrict member)
{
    FOR_ITEMS(w, words) {
        uint bits = 0;
        for (int i = 0; i < 32 && 32L * w + i < n; i++)
            bits |= (uint)(live[32L * w + i] != 0) << i;
        member[w] = bits;
    }
}

// The largest (time, word) of the edges with one end in the sample, of each work-item's share; 0, 0: none.
__kernel void choose_cut(const int n, const int lanes, const int run, const ulong seed,
                         __global const ulong *restrict words, __global const uchar *restrict live,
                         __global ulong *restrict best)
{
    const int lane = get_global_id(0);
    if (lane >= lanes)
        return;
    ulong time = 0, last = 0;
    const long begin = run ? (long)lane * run : lane, end = run ? min(begin + run, (long)n) : n;
    for (long i = begin; i < end; i += run ? 1 : lanes) {
        const ulong word = words[i];
        if (word == 0 || live[(uint)(word >> 32)] == live[(uint)word])
            continue;
        const ulong t = time_of(seed, word);
        if (t > time || (t == time && word > last)) {
            time = t;
            last = word;
        }
    }
    best[2 * lane] = time;
    best[2 * lane + 1] = last;
}
