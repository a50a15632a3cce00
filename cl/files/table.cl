// files/table.cl: columns of an edge table, in whatever integers they are, as the ids of rows.
//
// A column comes in chunks, each of which is taken to its place behind those before. Ids that are negative, or that
// ID has no room for, are counted: the host then takes a wider ID, or leaves the table to its own reader.
//
// in         IN[count] of a chunk, from the row `at` of the column on
// column     ID[rows], or of weights ulong[rows], the bits of doubles
// seen       uint[3]       ids that do not fit, and weights that are not finite; the highest id (of 64 bits its upper
//                          half); rows from a vertex to itself
// launch     padded range, ITEMS consecutive rows per work-item

#ifndef IN
#define IN long
#endif
#ifndef ID
#define ID int
#endif

#define INFINITE 0x7FF0000000000000UL

static inline void tell(volatile __global uint *seen, const uint wrong, const uint highest)
{
    if (wrong)
        atomic_add(&seen[0], wrong);
    // stale is harmless: the word only grows, and most work-items need not touch it
    if (highest > SHARED_LOAD(&seen[1]))
        atomic_max(&seen[1], highest);
}

__kernel void table_ids(const long count, const long at, __global const IN *restrict in, __global ID *restrict column,
                        volatile __global uint *seen)
{
    uint wrong = 0, highest = 0;
    FOR_ITEMS_LONG(e, count) {
        const ID id = (ID)in[e];
        wrong += id < 0 || (IN)id != in[e];
        highest = max(highest, sizeof(ID) == 8 ? (uint)((ulong)id >> 32) : (uint)id);
        column[at + e] = id;
    }
    tell(seen, wrong, highest);
}

__kernel void table_weights(const long count, const long at, __global const ulong *restrict in,
                            __global ulong *restrict column, volatile __global uint *seen)
{
    uint wrong = 0;
    FOR_ITEMS_LONG(e, count) {
        wrong += (in[e] & INFINITE) == INFINITE;
        column[at + e] = in[e];
    }
    tell(seen, wrong, 0);
}

__kernel void table_loops(const long count, __global const ID *restrict source, __global const ID *restrict target,
                          volatile __global uint *seen)
{
    uint loops = 0;
    FOR_ITEMS_LONG(e, count)
        loops += source[e] == target[e];
    if (loops)
        atomic_add(&seen[2], loops);
}
