// csr/generate.cl: draws the edges of random graphs, by keyed numbers looked up in integer tables made on the host: the
// same edges on every device, and the same ones that clgraph/graph/models.py draws in NumPy.
//
// powerlaw   Chung and Lu's model (2002): both ends by rank (ranks.h).
// rmat       R-MAT (Chakrabarti, Zhan, Faloutsos, SDM 2004; Graph500): one word per level picks the quadrant.
//
// tail, head int[count]   the two ends of draw i
// launch     padded range, ITEMS consecutive draws per work-item

#include "draws.h"

__kernel void generate_powerlaw(const long count, const ulong seed, const uint n, const uint stride,
                                __global const int *restrict guide, __global const uint *restrict thresholds,
                                __global const int *restrict bounds, __global int *restrict tail,
                                __global int *restrict head)
{
    FOR_ITEMS_LONG(i, count) {
        int t, h;
        powerlaw_ends(i, seed, n, stride, guide, thresholds, bounds, &t, &h);
        tail[i] = t;
        head[i] = h;
    }
}

__kernel void generate_rmat(const long count, const ulong seed, const int scale, const ulong a, const ulong b,
                            const ulong c, const int scramble, __global const uint *restrict keys,
                            __global int *restrict tail, __global int *restrict head)
{
    FOR_ITEMS_LONG(i, count) {
        int t, h;
        rmat_ends(i, seed, scale, a, b, c, scramble, keys, &t, &h);
        tail[i] = t;
        head[i] = h;
    }
}
