// files/relabel_sort.cl: vertices numbered by ascending id where ids are far apart: sorted, and equal ones counted once.
//
// Radix sort of (id, place) by bytes, the lowest first. Work-item k takes slice k of the entries: it counts the values
// of a byte, the host sums the counts up (by value, then by slice), and the entries are dealt out in their order, so
// that each pass is stable. Nothing is shared.
//
// key         long[count]             ids
// place       uint[count]             where an id stands in the file: row r has the entries 2r and 2r + 1
// table       uint[256][slices]       entries of a slice with a byte's value; then where the next of them goes
// fresh       uint[slices]            ids of a slice that differ from the one before; then the number of the first
// launch      one work-item per slice
// tunables    none: the host chooses the number of slices

#define FOR_SLICE(i, count, slices)                                                                              \
    const long i##_share = ((count) + (slices) - 1) / (slices);                                                  \
    for (long i = min((long)get_global_id(0) * i##_share, (count)), i##_end = min(i + i##_share, (count)); \
         i < i##_end; ++i)

#ifndef ID
#define ID long
#endif

__kernel void sort_begin(const long rows, __global const ID *restrict source, __global const ID *restrict target,
                         __global long *restrict key, __global uint *restrict place)
{
    FOR_ITEMS_LONG(e, rows) {
        key[2 * e] = source[e];
        key[2 * e + 1] = target[e];
        place[2 * e] = (uint)(2 * e);
        place[2 * e + 1] = (uint)(2 * e + 1);
    }
}

__kernel void sort_count(const long count, const int slices, const int shift, __global const long *restrict key,
                         __global uint *restrict table)
{
    if (get_global_id(0) < (size_t)slices) {
        __global uint *mine = table + get_global_id(0);
        for (int d = 0; d < 256; d++)
            mine[(long)d * slices] = 0;
        FOR_SLICE(i, count, slices)
            mine[((key[i] >> shift) & 255) * slices]++;
    }
}

__kernel void sort_deal(const long count, const int slices, const int shift, __global const long *restrict key,
                        __global const uint *restrict place, __global uint *restrict table,
                        __global long *restrict to_key, __global uint *restrict to_place)
{
    if (get_global_id(0) < (size_t)slices) {
        __global uint *mine = table + get_global_id(0);
        FOR_SLICE(i, count, slices) {
            const uint to = mine[((key[i] >> shift) & 255) * slices]++;
            to_key[to] = key[i];
            to_place[to] = place[i];
        }
    }
}

__kernel void sort_fresh(const long count, const int slices, __global const long *restrict key,
                         __global uint *restrict fresh)
{
    if (get_global_id(0) < (size_t)slices) {
        uint sum = 0;
        FOR_SLICE(i, count, slices)
            sum += i == 0 || key[i] != key[i - 1];
        fresh[get_global_id(0)] = sum;
    }
}

// ids: of the vertices in their order; tail, head: the rows by vertex number.
__kernel void sort_number(const long count, const int slices, __global const long *restrict key,
                          __global const uint *restrict place, __global const uint *restrict fresh,
                          __global long *restrict ids, __global int *restrict tail, __global int *restrict head)
{
    if (get_global_id(0) < (size_t)slices) {
        int number = (int)fresh[get_global_id(0)] - 1;
        FOR_SLICE(i, count, slices) {
            if (i == 0 || key[i] != key[i - 1])
                ids[++number] = key[i];
            const uint at = place[i];
            if (at & 1)
                head[at >> 1] = number;
            else
                tail[at >> 1] = number;
        }
    }
}
