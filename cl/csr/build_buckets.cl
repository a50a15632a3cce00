// csr/build_buckets.cl: from a list of arcs to compressed sparse rows, for devices with few, strong cores (CPUs);
// GPUs take csr/build.cl.
//
// Atomics on rows in random order cost a CPU one cache miss each, one after the other. Here nothing is shared: the
// arcs are distributed to buckets of 2^shift rows each (Satish et al., SIGMOD 2010: a radix pass, one stream of writes
// per bucket). A bucket is small enough for a core's own cache: its rows are counted, filled and sorted there, and
// duplicates removed. Work-item k distributes slice k of the arcs; each slice has its own range in each bucket.
//
// tail, head  int[count]             arcs; loops (tail == head) are skipped unless LOOPS
// table       long[slices][buckets]  arcs of a slice in a bucket; then where the slice's part of the bucket begins
// dealt       int[arcs][2]           tail and head by buckets; when rows are sorted, the first half of a bucket's part is
//                                    scratch space, the second holds how many arcs each kept one stands for (COUNTS)
// bucket_ptr  long[buckets + 1]      where a bucket begins
// heads       int[arcs]              by rows; a bucket's rows are contiguous from its beginning, without duplicates
// degree      int[n]                 heads kept in each row
// launch      one work-item per slice, or per bucket; no barriers, no atomics
// tunables    INSERTION (longest row for an insertion sort)

#include "csr/build.h"

#ifndef INSERTION
#define INSERTION 48
#endif

// for (each arc first .. last - 1 of this work-item's slice)
#define FOR_SLICE(e, count, slices)                                                                      \
    const long e##_share = ((count) + (slices) - 1) / (slices);                                          \
    for (long e = min((long)get_global_id(0) * e##_share, (count)), e##_end = min(e + e##_share, (count)); \
         e < e##_end; ++e)

__kernel void buckets_count(const long count, const int mirror, const int slices, const int shift, const int buckets,
                            __global const int *restrict tail, __global const int *restrict head,
                            __global long *restrict table)
{
    if (get_global_id(0) < (size_t)slices) {
        __global long *mine = table + get_global_id(0) * buckets;
        for (int b = 0; b < buckets; b++)
            mine[b] = 0;
        FOR_SLICE(e, count, slices) {
            const int t = tail[e], h = head[e];
            if (LOOPS || t != h) {
                mine[t >> shift]++;
                if (mirror && t != h)
                    mine[h >> shift]++;
            }
        }
    }
}

__kernel void buckets_deal(const long count, const int mirror, const int slices, const int shift, const int buckets,
                           __global const int *restrict tail, __global const int *restrict head,
                           __global long *restrict table, __global int *restrict dealt)
{
    if (get_global_id(0) < (size_t)slices) {
        __global long *mine = table + get_global_id(0) * buckets;
        FOR_SLICE(e, count, slices) {
            const int t = tail[e], h = head[e];
            if (LOOPS || t != h) {
                vstore2((int2)(t, h), mine[t >> shift]++, dealt);
                if (mirror && t != h)
                    vstore2((int2)(h, t), mine[h >> shift]++, dealt);
            }
        }
    }
}

static inline void insertion_sort(__global int *x, int length)
{
    for (int i = 1; i < length; i++) {
        const int next = x[i];
        int k = i;
        for (; k > 0 && x[k - 1] > next; k--)
            x[k] = x[k - 1];
        x[k] = next;
    }
}

static inline int ascends(__global const int *x, long length)
{
    for (long i = 1; i < length; i++)
        if (x[i - 1] > x[i])
            return 0;
    return 1;
}

// Radix sort by bytes, the lowest first; two passes per iteration, so that the heads end where they began.
static inline void radix_sort(__global int *x, __global int *other, long length, int bits)
{
    for (int shift = 0; shift < bits; shift += 8) {
        long place[256];
        for (int d = 0; d < 256; d++)
            place[d] = 0;
        for (long i = 0; i < length; i++)
            place[(x[i] >> shift) & 255]++;
        long before = 0;
        for (int d = 0; d < 256; d++) {
            const long here = place[d];
            place[d] = before;
            before += here;
        }
        for (long i = 0; i < length; i++)
            other[place[(x[i] >> shift) & 255]++] = x[i];
        __global int *swap = x;
        x = other;
        other = swap;
    }
    if ((bits + 7) / 8 % 2)
        for (long i = 0; i < length; i++)
            other[i] = x[i];
}

// Rows of each bucket: filled, sorted, duplicates removed. stay: heads of a bucket that are kept.
__kernel void buckets_sort(const int n, const int shift, const int buckets, const int bits,
                           __global const long *restrict bucket_ptr, __global int *restrict dealt,
                           __global int *restrict heads, __global int *restrict degree, __global long *restrict stay)
{
    const long b = get_global_id(0);
    if (b < buckets) {
        const long from = bucket_ptr[b], to = bucket_ptr[b + 1];
        const int first = (int)(b << shift), last = (int)min((b + 1) << shift, (long)n);
        for (int v = first; v < last; v++)
            degree[v] = 0;
        for (long p = from; p < to; p++)
            degree[dealt[2 * p]]++;
        int place = 0;
        for (int v = first; v < last; v++) {
            const int here = degree[v];
            degree[v] = place;
            place += here;
        }
        // in the order of the list, which is often sorted
        for (long p = from; p < to; p++)
            heads[from + degree[dealt[2 * p]]++] = dealt[2 * p + 1];
        long kept = from, end = from;
        for (int v = first; v < last; v++) {
            const long begin = end;
            end = from + degree[v];
            const long length = end - begin;
            if (length <= INSERTION)
                insertion_sort(heads + begin, (int)length);
            else if (!ascends(heads + begin, length))
                radix_sort(heads + begin, dealt + 2 * from, length, bits);
            if (MERGE) {
                const long was = kept;
                for (long p = begin; p < begin + length; p++) {
                    const int repeated = p > begin && heads[p] == heads[kept - 1];
                    if (!repeated)
                        heads[kept++] = heads[p];
                    if (COUNTS)
                        dealt[to + kept - 1] = repeated ? dealt[to + kept - 1] + 1 : 1;
                }
                degree[v] = (int)(kept - was);
            } else {
                degree[v] = (int)length;
                kept += length;
            }
        }
        stay[b] = kept - from;
    }
}

// before[b]: heads kept in the buckets before b; `col` is null where nothing moves.
__kernel void buckets_rows(const int n, const int shift, const int buckets, __global const long *restrict bucket_ptr,
                           __global const long *restrict before, __global const int *restrict heads,
                           __global const int *restrict dealt, __global const int *restrict degree,
                           __global OFFSET *restrict row_ptr, __global int *restrict col,
                           __global int *restrict counts)
{
    const long b = get_global_id(0);
    if (b < buckets) {
        const int first = (int)(b << shift), last = (int)min((b + 1) << shift, (long)n);
        OFFSET end = (OFFSET)before[b];
        for (int v = first; v < last; v++) {
            row_ptr[v] = end;
            end += degree[v];
        }
        if (b == buckets - 1)
            row_ptr[n] = end;
        if (col)
            for (long p = before[b]; p < (long)end; p++)
                col[p] = heads[bucket_ptr[b] + (p - before[b])];
        if (counts)
            for (long p = before[b]; p < (long)end; p++)
                counts[p] = dealt[bucket_ptr[b] + bucket_ptr[b + 1] + (p - before[b])];
    }
}
