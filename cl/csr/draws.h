// csr/draws.h: the ends of the draws of csr/generate.cl, one at a time.

#include "keyed.h"
#include "ranks.h"

static inline void powerlaw_ends(const long i, const ulong seed, const uint n, const uint stride,
                                 __global const int *guide, __global const uint *thresholds,
                                 __global const int *bounds, int *tail, int *head)
{
    const philox4x32_ctr_t x = keyed_words(seed, (uint)i, (uint)(i >> 32), 0, TAG_GENERATE);
    *tail = ranked_vertex(x.v[1], x.v[0], n, stride, guide, thresholds, bounds);
    *head = ranked_vertex(x.v[3], x.v[2], n, stride, guide, thresholds, bounds);
}

// keys uint[6]: addend and odd factor of each round; each step is a bijection of 0 .. 2^scale - 1.
static inline int rmat_label(uint x, const int scale, __global const uint *keys)
{
    const uint mask = (1u << scale) - 1;
    for (int round = 0; round < 3; round++) {
        x = ((x + keys[2 * round]) * keys[2 * round + 1]) & mask;
        x ^= x >> ((scale + 1) / 2);
    }
    return (int)x;
}

// a, b, c: a word below a means upper left, below b upper right, below c lower left; they may be 2^32.
static inline void rmat_ends(const long i, const ulong seed, const int scale, const ulong a, const ulong b, const ulong c,
                             const int scramble, __global const uint *keys, int *tail, int *head)
{
    uint t = 0, h = 0;
    for (int level = 0; level < scale; level += 4) {
        const philox4x32_ctr_t x = keyed_words(seed, (uint)i, (uint)(i >> 32), 1 + level / 4, TAG_GENERATE);
        const int levels = min(4, scale - level);
        for (int k = 0; k < levels; k++) {
            const uint word = x.v[k];
            t = t << 1 | (word >= b);
            h = h << 1 | ((word >= a && word < b) || word >= c);
        }
    }
    *tail = scramble ? rmat_label(t, scale, keys) : (int)t;
    *head = scramble ? rmat_label(h, scale, keys) : (int)h;
}
