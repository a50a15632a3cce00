// files/relabel.cl: vertices numbered by ascending id, with a bit for each id that may occur.
//
// Ids up to a multiple of the number of rows are marked in a bitmap; the bits before a word are counted by runs of
// SPAN words, summed up by the host, and an id's number is the count of bits before it. Ids with wider gaps are
// numbered by files/relabel_sort.cl.
//
// source, target  int[count]     ids, then vertex numbers
// bits            uint[words]    one bit per id
// before          uint[words]    bits before a word
// sums            uint[runs]     bits in each run of words; then before it
// told            uint[2]        rows with a number that is not among 1 .. n; rows whose source is below the target
// launch          number_mark, number_ends, number_shift: ITEMS consecutive rows per work-item; number_listed: as many
//                 vertices; the others: one work-item per run
// tunables        SPAN

#ifndef SPAN
#define SPAN 64
#endif

#define FOR_RUN_WORDS(w, words)                                                                                  \
    for (long w = min((long)get_global_id(0) * SPAN, (long)(words)), w##_end = min(w + SPAN, (long)(words)); \
         w < w##_end; ++w)

static inline void mark(volatile __global uint *bits, const int id)
{
    const uint bit = 1u << (id & 31);
    // stale is harmless: bits are only set, and one that is seen unset is set again
    if (!(SHARED_LOAD(&bits[id >> 5]) & bit))
        atomic_or(&bits[id >> 5], bit);
}

__kernel void number_mark(const long count, __global const int *restrict source, __global const int *restrict target,
                          volatile __global uint *bits)
{
    FOR_ITEMS_LONG(e, count) {
        mark(bits, source[e]);
        mark(bits, target[e]);
    }
}

__kernel void number_sums(const int words, __global const uint *restrict bits, __global uint *restrict sums)
{
    uint sum = 0;
    FOR_RUN_WORDS(w, words)
        sum += popcount(bits[w]);
    if ((long)get_global_id(0) * SPAN < words)
        sums[get_global_id(0)] = sum;
}

// ids: of the vertices in their order.
__kernel void number_ids(const int words, __global const uint *restrict bits, __global const uint *restrict sums,
                         __global uint *restrict before, __global int *restrict ids)
{
    uint sum = (long)get_global_id(0) * SPAN < words ? sums[get_global_id(0)] : 0;
    FOR_RUN_WORDS(w, words) {
        before[w] = sum;
        for (uint left = bits[w]; left; left &= left - 1)
            ids[sum++] = (int)(w * 32 + popcount((left - 1) & ~left));
    }
}

static inline int number_of(__global const uint *bits, __global const uint *before, const int id)
{
    return (int)(before[id >> 5] + popcount(bits[id >> 5] & ((1u << (id & 31)) - 1)));
}

__kernel void number_ends(const long count, __global const uint *restrict bits, __global const uint *restrict before,
                          __global int *restrict source, __global int *restrict target)
{
    FOR_ITEMS_LONG(e, count) {
        source[e] = number_of(bits, before, source[e]);
        target[e] = number_of(bits, before, target[e]);
    }
}

// Where ids are the numbers 1 .. n: counted from 0.
__kernel void number_shift(const long count, const int n, __global int *restrict source, __global int *restrict target,
                           volatile __global uint *told)
{
    uint outside = 0, upper = 0;
    FOR_ITEMS_LONG(e, count) {
        outside += source[e] < 1 || source[e] > n || target[e] < 1 || target[e] > n;
        upper += source[e] < target[e];
        source[e]--;
        target[e]--;
    }
    if (outside)
        atomic_add(&told[0], outside);
    if (upper)
        atomic_add(&told[1], upper);
}

__kernel void number_listed(const int n, __global int *restrict ids)
{
    FOR_ITEMS(v, n)
        ids[v] = v + 1;
}
