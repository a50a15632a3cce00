// sampling/literature/race.h: the key of an edge that races; after keyed.h and clock.h. Variants as in race.cl.

#ifndef WEIGHT
#define WEIGHT 0
#endif
#ifndef COPIES
#define COPIES 0
#endif
#ifndef ARCS
#define ARCS 0
#endif
#ifndef NO_EDGES
#define NO_EDGES 0
#endif

// An edge drawn by itself.
static inline __attribute__((always_inline)) ulong key_alone(ulong seed, int v, int u, uint copy, ulong w, long lg_edge, TABLE table)
{
    const philox4x32_ctr_t x = keyed_words(seed, (uint)min(v, u), (uint)max(v, u), copy, TAG_EDGE);
    return !WEIGHT ? race_key(x, lg_edge, table) : w ? race_key(x, lg(w, table), table) : NONE;
}

// An edge drawn by one of its ends.
static inline __attribute__((always_inline)) ulong key_by_end(ulong seed, int end, int other, uint copy, long lg_arc,
                                                              int degree, TABLE table)
{
    return race_key(keyed_words(seed, (uint)end, (uint)other, copy, TAG_ARC), lg_arc - lg((ulong)degree, table), table);
}
