// sampling/literature/race.h: the key of an edge that races; after keyed.h and clock.h. Variants as in race.cl.

#ifndef OFFSET
#define OFFSET int
#endif
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

static inline ulong edge_key(ulong seed, int v, int u, uint copy, ulong w, long lg_arc, long lg_edge,
                             __global const OFFSET *row_ptr, TABLE table)
{
    ulong k = NONE;
    const uint low = (uint)min(v, u), high = (uint)max(v, u);
#if ARCS
    const long lg_low = lg((ulong)(row_ptr[low + 1] - row_ptr[low]), table);
    const long lg_high = lg((ulong)(row_ptr[high + 1] - row_ptr[high]), table);
    k = min(race_key(keyed_words(seed, low, high, copy, TAG_ARC), lg_arc - lg_low, table),
            race_key(keyed_words(seed, high, low, copy, TAG_ARC), lg_arc - lg_high, table));
#endif
#if !NO_EDGES
    if (w)
        k = min(k, race_key(keyed_words(seed, low, high, copy, TAG_EDGE), WEIGHT ? lg(w, table) : lg_edge, table));
#endif
    return k;
}
