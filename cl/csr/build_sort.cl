// csr/build_sort.cl: sorts the rows of a CSR, with many work-items (GPUs); the second part of csr/build.cl.
//
// A row is sorted where it fits: up to SHORT heads in one work-item's private array, up to CHUNK in a work-group's
// local memory (bitonic), longer ones as chunks that are merged pairwise: each head finds its position in the other
// run by binary search, which needs neither barriers nor load balancing.
//
// list_row, list_chunk int[]   chunks of rows longer than SHORT, in any order; long_row, long_chunk: of those longer
//             than CHUNK alone, which are merged. listed int[2]: how many chunks of each kind; 0 before
// launch      rows_sort_short: padded range, ITEMS consecutive rows per work-item; the others: one work-group of
//             any size per chunk
// variants    HEAD, the type of a head: int, or long (then without MERGE: nothing is marked)
// tunables    SHORT, CHUNK

#include "csr/build.h"

#ifndef HEAD
#define HEAD int
#endif
#define MOST_HEAD ((HEAD)(sizeof(HEAD) == 8 ? 0x7FFFFFFFFFFFFFFFL : 0x7FFFFFFF))

#ifndef SHORT
#define SHORT 32
#endif

// Sorts the short rows and lists the chunks of the others.
__kernel void rows_sort_short(const int n, __global const OFFSET *restrict row_ptr, __global HEAD *restrict col,
                              volatile __global int *listed, __global int *restrict list_row,
                              __global int *restrict list_chunk, __global int *restrict long_row,
                              __global int *restrict long_chunk)
{
    FOR_ITEMS(v, n) {
        const OFFSET from = row_ptr[v];
        const OFFSET length = row_ptr[v + 1] - from;
        if (length > SHORT) {
            const int chunks = (int)((length + CHUNK - 1) / CHUNK);
            const int place = atomic_add(listed, chunks);
            for (int c = 0; c < chunks; c++) {
                list_row[place + c] = v;
                list_chunk[place + c] = c;
            }
            if (chunks > 1) {
                const int to = atomic_add(listed + 1, chunks);
                for (int c = 0; c < chunks; c++) {
                    long_row[to + c] = v;
                    long_chunk[to + c] = c;
                }
            }
        } else if (length > 1) {
            HEAD x[SHORT];
            for (int i = 0; i < (int)length; i++) {
                const HEAD next = col[from + i];
                int k = i;
                for (; k > 0 && x[k - 1] > next; k--)
                    x[k] = x[k - 1];
                x[k] = next;
            }
            for (int i = 0; i < (int)length; i++)
                col[from + i] = MERGE && i > 0 && x[i] == x[i - 1] ? MARKED(x[i]) : x[i];
        }
    }
}

// Sorts each listed chunk; a row of one chunk is then complete.
__kernel void rows_sort_chunks(__global const OFFSET *restrict row_ptr, __global HEAD *restrict col,
                               __global const int *restrict list_row, __global const int *restrict list_chunk)
{
    __local HEAD x[CHUNK];
    const int lane = get_local_id(0), lanes = get_local_size(0);
    const int v = list_row[get_group_id(0)];
    const OFFSET from = row_ptr[v] + (OFFSET)list_chunk[get_group_id(0)] * CHUNK;
    const int length = (int)min((OFFSET)CHUNK, row_ptr[v + 1] - from);
    const int whole = row_ptr[v + 1] - row_ptr[v] <= CHUNK;
    int room = 2;
    while (room < length)
        room *= 2;
    for (int i = lane; i < room; i += lanes)
        x[i] = i < length ? col[from + i] : MOST_HEAD;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int size = 2; size <= room; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            for (int i = lane; i < room / 2; i += lanes) {
                const int a = 2 * i - (i & (stride - 1));   // the lower of the i-th pair that is `stride` apart
                const HEAD low = x[a], high = x[a + stride];
                if ((low > high) == ((a & size) == 0)) {
                    x[a] = high;
                    x[a + stride] = low;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    for (int i = lane; i < length; i += lanes)
        col[from + i] = MERGE && whole && i > 0 && x[i] == x[i - 1] ? MARKED(x[i]) : x[i];
}

// How many of the run's heads come before `head`: those that are less, and with `equal` also those that equal it.
static inline OFFSET stand_before(__global const HEAD *run, OFFSET length, HEAD head, int equal)
{
    OFFSET low = 0;
    while (length > 0) {
        const OFFSET half_way = length / 2;
        const HEAD x = run[low + half_way];
        if (x < head || (equal && x == head)) {
            low += half_way + 1;
            length -= half_way + 1;
        } else {
            length = half_way;
        }
    }
    return low;
}

// One pass of merging in the rows of more than one chunk: runs of `width` heads become runs of twice as many.
__kernel void rows_merge(const long width, __global const OFFSET *restrict row_ptr,
                         __global const HEAD *restrict from_col,
                         __global HEAD *restrict to_col, __global const int *restrict long_row,
                         __global const int *restrict long_chunk)
{
    const int v = long_row[get_group_id(0)];
    const long length = row_ptr[v + 1] - row_ptr[v];
    __global const HEAD *from = from_col + row_ptr[v];
    const long begin = (long)long_chunk[get_group_id(0)] * CHUNK;
    const long pair = begin & ~(2 * width - 1);          // CHUNK divides width: a chunk lies in one run
    const int second = begin >= pair + width;
    const long other = min(second ? pair : pair + width, length);
    const OFFSET other_length = (OFFSET)(min(other + width, length) - other);
    const long own = second ? pair + width : pair;
    for (long i = begin + get_local_id(0); i < min(begin + CHUNK, length); i += get_local_size(0)) {
        const HEAD x = from[i];
        to_col[row_ptr[v] + (OFFSET)(pair + (i - own) + stand_before(from + other, other_length, x, second))] = x;
    }
}

// After the last pass: copies the merged rows back to where the others are and marks their duplicates.
__kernel void rows_mark(__global const OFFSET *restrict row_ptr, __global const HEAD *restrict merged,
                        __global HEAD *restrict col, __global const int *restrict long_row,
                        __global const int *restrict long_chunk)
{
    const int v = long_row[get_group_id(0)];
    const OFFSET begin = row_ptr[v] + (OFFSET)long_chunk[get_group_id(0)] * CHUNK;
    for (OFFSET p = begin + get_local_id(0); p < min(begin + CHUNK, row_ptr[v + 1]); p += get_local_size(0))
        col[p] = MERGE && p > row_ptr[v] && merged[p] == merged[p - 1] ? MARKED(merged[p]) : merged[p];
}
