// sampling/literature/clock.h: logarithms of integers by integers alone, exponential clocks, and the keys of races; after
// keyed.h.
//
// An item of weight W gets an exponential time of rate W, as log2(time); the smallest goes first. Ordering by such keys
// is drawing one item after the other in proportion to the weights that are left (Efraimidis, Spirakis 2006).
//
// table   ulong[512]: R[i] = floor(2^63 512 / (513 + 2 i)), then L[i] = round(2^40 log2((513 + 2 i) / 512))

#define ONE (1L << 40)          // 1 in units of 2^-40
#define NONE 0xFFFFFFFFFFFFFFFFUL   // the key of what is never drawn

#ifndef TABLE
#define TABLE __global const ulong *   // pipelines hold the table on chip
#endif

// log2(x) in units of 2^-40, x > 0; wrong by less than 5 of them.
static inline __attribute__((always_inline)) long lg(ulong x, TABLE table)
{
    const int z = (int)clz(x);
    const ulong m = x << z;
    const int i = (int)(m >> 55) & 255;
    const long s = (long)mul_hi(m, table[i]) - (1L << 62);
    const long r = s >> 22, r2 = (r * r) >> 40, r3 = (r2 * r) >> 40, r4 = (r3 * r) >> 40;
    const long p = r - (r2 >> 1) + ((21845 * r3) >> 16) - (r4 >> 2);
    return (63 - z) * ONE + (long)table[256 + i] + ((p * 3098164009L) >> 31);
}

// An exponential time of rate ln 2, in units of 2^-40, from 64 random bits.
static inline __attribute__((always_inline)) ulong clock_of(ulong x, TABLE table)
{
    return (ulong)max(1L, 64 * ONE - lg(x | 1, table));
}

// The key of an item whose weight has the logarithm lg_weight.
static inline __attribute__((always_inline)) ulong race_key(philox4x32_ctr_t x, long lg_weight, TABLE table)
{
    const long time = lg(clock_of(keyed_a(x), table), table);
    return ((ulong)(time - lg_weight + 64 * ONE) << 16) | (keyed_b(x) >> 48);
}
