// csr/generate_attach.cl: Barabasi and Albert's model (1999), after Batagelj and Brandes (2005) and, so that all
// vertices are worked on at once, Sanders and Schulz (Information Processing Letters 116, 2016): a vertex is joined to
// what stands at random places of the list of all ends so far, and what stands there is found by drawing again what
// was drawn there, instead of by waiting for it.
//
// list of ends   vertices 0 .. k are joined to each other: place p < k (k + 1) is vertex p / k. Then two places for
//                each edge of vertices k + 1, k + 2, ...: the vertex, and what its draw number 0 .. k - 1 found.
// head           a vertex's k targets: the first k different ones that its draws 0, 1, 2, ... find. (In the list
//                stand the first k draws, repeated ones too: that is what makes following them independent.)
// tail, head int[count]   count = k (k + 1) / 2 + (n - k - 1) k
// launch         padded range, ITEMS consecutive vertices per work-item

#include "keyed.h"

// A place of the list before those of vertex v.
static inline ulong attach_draw(ulong seed, uint v, uint number, ulong k)
{
    const ulong before = k * (k + 1) + 2 * k * (v - k - 1);
    return mul_hi(keyed_a(keyed_words(seed, v, number, 0, TAG_MODEL)), before);
}

static inline uint attach_follow(ulong seed, ulong place, ulong k)
{
    const ulong start = k * (k + 1);
    while (place >= start) {
        const ulong edge = (place - start) / 2;
        const uint v = (uint)(k + 1 + edge / k);
        if (!((place - start) & 1))
            return v;
        place = attach_draw(seed, v, (uint)(edge - (v - k - 1) * k), k);
    }
    return (uint)(place / k);
}

__kernel void attach_edges(const int n, const ulong seed, const int k, __global int *restrict tail,
                           __global int *restrict head)
{
    FOR_ITEMS(v, n) {
        const bool first = v <= k;
        const long begin = first ? (long)v * (v - 1) / 2 : (long)k * (k + 1) / 2 + ((long)v - k - 1) * k;
        const int targets = first ? v : k;
        uint number = 0;
        for (int found = 0; found < targets;) {
            const int target = first ? found : (int)attach_follow(seed, attach_draw(seed, v, number++, k), k);
            int same = 0;
            while (same < found && head[begin + same] != target)
                same++;
            if (same < found)
                continue;
            tail[begin + found] = v;
            head[begin + found] = target;
            found++;
        }
    }
}
