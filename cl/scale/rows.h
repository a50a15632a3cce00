// scale/rows.h: which row of a shard an entry is in.

#ifndef OFFSET
#define OFFSET int
#endif

// The last row of low .. high that begins at or before entry p. It reads row_ptr[low + 1 .. high] only, whatever is in it.
static inline int row_of(__global const OFFSET *row_ptr, long p, int low, int high)
{
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (row_ptr[middle] <= p)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
