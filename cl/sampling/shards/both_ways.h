// sampling/shards/both_ways.h: which entries of a shard count as pairs.
//
// COUNTS  an entry (u, v) counts: it is no loop and, with BOTH_WAYS (rows have each pair from both ends), the first of two
// tunables BOTH_WAYS

#ifdef BOTH_WAYS
#define COUNTS(u, v) ((u) < (v))
#else
#define COUNTS(u, v) ((u) != (v))
#endif
