// sampling/literature/stream.h: vertices and edges that a run holds of a stream, found by hashing; after keyed.h.
//
// A run's memory is one area of int and one of ulong (sizes in clgraph/sampling/literature/stream.py). Vertices are numbered
// slots, and a bucket of the table is a chain of slots, so that a chain's order depends on the stream alone.
//
// Arrival t = 1, 2, ... has its own numbers: (t mod 2^32, t >> 32, j; COIN).

typedef struct {
    __global int *bucket, *next;   // chains of vertex slots; -1 ends one
    __global ulong *id;
    uint mask;                     // number of buckets - 1
} Names;

static inline uint bucket_of(ulong x, uint mask)
{
    return (uint)((x * 0x9E3779B97F4A7C15UL) >> 32) & mask;
}

static inline int slot_of(const Names *names, ulong id)
{
    int slot = names->bucket[bucket_of(id, names->mask)];
    while (slot >= 0 && names->id[slot] != id)
        slot = names->next[slot];
    return slot;
}

static inline void put_name(const Names *names, int slot, ulong id)
{
    const uint at = bucket_of(id, names->mask);
    names->id[slot] = id;
    names->next[slot] = names->bucket[at];
    names->bucket[at] = slot;
}

static inline void drop_name(const Names *names, int slot)
{
    __global int *link = &names->bucket[bucket_of(names->id[slot], names->mask)];
    while (*link != slot)
        link = &names->next[*link];
    *link = names->next[slot];
}

static inline philox4x32_ctr_t arrival(ulong seed, ulong t, uint j)
{
    return keyed_words(seed, (uint)t, (uint)(t >> 32), j, TAG_COIN);
}
