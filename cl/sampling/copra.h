// sampling/copra.h: positions in the COPRA arrays (see sampling/copra.cl).
//
// The CSR (row_ptr, col_idx) from which the arrays were made is never written: arc p of row v is in slot p + 2(v+1), so
// an edge's other slot is found without a race with its removal, and parallel copies are distinguished by their rank in
// the row.

#ifndef FAR_SCAN
#define FAR_SCAN 0
#endif
#ifndef HAS_COPIES
#define HAS_COPIES 1   // 0: the host knows that no two arcs are parallel
#endif

#define REMOVED (-1)
#define HEADER (-2)

// First arc whose head is v in the row low .. end - 1; the row ascends and contains v.
static inline OFFSET first_arc(__global const int *col_idx, OFFSET low, const OFFSET end, int v)
{
#if FAR_SCAN
    OFFSET found = end;
    for (OFFSET burst = low; burst < end && found == end; burst += 16) {
        for (int i = 15; i >= 0; i--)
            if (burst + i < end && col_idx[burst + i] == v)
                found = burst + i;
    }
    return found;
#else
    // no branch depends on what is read: a core goes on with other searches while this one waits for memory
    OFFSET left = end - low;
    while (left > 1) {
        const OFFSET middle = left / 2;
        low += middle & -(OFFSET)(col_idx[low + middle - 1] < v);
        left -= middle;
    }
    return low + (left == 1 && col_idx[low] < v);
#endif
}

// Rank of arc p of row v among its parallel copies.
static inline OFFSET copy_rank(__global const OFFSET *row_ptr, __global const int *col_idx, int v, OFFSET p)
{
    OFFSET rank = 0;
#if HAS_COPIES
    while (p - rank > row_ptr[v] && col_idx[p - rank - 1] == col_idx[p])
        rank++;
#endif
    return rank;
}

// The arc that is the other half of arc p of row v.
static inline OFFSET far_arc(__global const OFFSET *row_ptr, __global const int *col_idx, int v, OFFSET p)
{
    const int u = col_idx[p];
    return first_arc(col_idx, row_ptr[u], row_ptr[u + 1], v) + copy_rank(row_ptr, col_idx, v, p);
}

// The slot of arc p of row v in `edges`.
static inline OFFSET slot_of(int v, OFFSET p)
{
    return p + 2 * ((OFFSET)v + 1);
}
