// copra.h: where things stand in the COPRA arrays (see copra.cl).
//
// The CSR (row_ptr, col_idx) that the arrays were made of is never written: the place of arc p of row v is slot
// p + 2(v+1), so an edge's other slot is found without a race with its removal, and parallel copies are told
// apart by their rank in the row.

#ifndef OFFSET
#define OFFSET int
#endif
#ifndef FAR_SCAN
#define FAR_SCAN 0
#endif

#define REMOVED (-1)
#define HEADER (-2)

// First arc of row u whose head is v; the row ascends and holds it.
static inline OFFSET first_arc(__global const OFFSET *row_ptr, __global const int *col_idx, int u, int v)
{
    OFFSET low = row_ptr[u];
#if FAR_SCAN
    const OFFSET end = row_ptr[u + 1];
    OFFSET found = end;
    for (OFFSET burst = low; burst < end && found == end; burst += 16) {
        #pragma unroll 16
        for (int i = 15; i >= 0; i--)
            if (burst + i < end && col_idx[burst + i] == v)
                found = burst + i;
    }
    return found;
#else
    OFFSET high = row_ptr[u + 1];
    while (low < high) {
        const OFFSET middle = low + (high - low) / 2;
        if (col_idx[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
#endif
}

// Rank of arc p of row v among its parallel copies.
static inline OFFSET copy_rank(__global const OFFSET *row_ptr, __global const int *col_idx, int v, OFFSET p)
{
    OFFSET rank = 0;
    while (p - rank > row_ptr[v] && col_idx[p - rank - 1] == col_idx[p])
        rank++;
    return rank;
}

// The arc that is the other half of arc p of row v.
static inline OFFSET far_arc(__global const OFFSET *row_ptr, __global const int *col_idx, int v, OFFSET p)
{
    return first_arc(row_ptr, col_idx, col_idx[p], v) + copy_rank(row_ptr, col_idx, v, p);
}

// Where arc p of row v stands in `edges`.
static inline OFFSET slot_of(int v, OFFSET p)
{
    return p + 2 * ((OFFSET)v + 1);
}
