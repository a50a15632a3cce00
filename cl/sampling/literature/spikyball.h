// sampling/literature/spikyball.h: which arcs a stage of a spikyball has, and their keys; after clock.h.

#define GOING 0
#define WANTING 1
#define OVER 2
#define CROWDED 3
#define UNSEEN 0xFFFFFFFFu

// Whether the entry p of a row is an arc of the stage; of parallel ones the first is.
static inline int is_arc(OFFSET p, OFFSET begin, __global const int *col_idx, __global const ulong *weight,
                         __global const uint *mine)
{
    return (p == begin || col_idx[p] != col_idx[p - 1]) && (!weight || weight[p]) && mine[col_idx[p]] == UNSEEN;
}

// x to a power in 2^-16, as a logarithm.
static inline long power_of(ulong x, int power, __global const ulong *table)
{
    return power ? (lg(x, table) >> 16) * power : 0;
}

// weight 0: it does not count.
static inline ulong key_of_arc(ulong seed, int v, int u, uint stage, ulong out, ulong in, ulong weight, int a, int b,
                               int c, __global const ulong *table)
{
    const long sum = power_of(out, a, table) + power_of(in, c, table) + (weight ? power_of(weight, b, table) : 0);
    return race_key(keyed_words(seed, (uint)v, (uint)u, stage, TAG_ARC), min(max(sum, -128 * ONE), 63 * ONE), table);
}
