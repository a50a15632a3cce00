// csr/compact.cl: the graph of some of a graph's vertices and some of the arcs between them, renumbered in order.
//
// The vertices that stay are ranked by running sums (csr/scan.cl); then the arcs that stay are counted by rows, the
// counts become offsets by running sums, and the arcs are copied. The order of vertices and arcs does not change.
//
// row_ptr  OFFSET[n + 1], col_idx  int[arcs]    the rows to choose from
// live     uchar[n]      1: the vertex stays; NULL: all do
// arcs     uchar[arcs]   1: the arc stays (only between vertices that do); NULL: all between vertices that stay
// rank     int[n + 1]    number of vertices that stay before v; NULL where all do
// loops    0: arcs from a vertex to itself go
// launch   padded range, ITEMS consecutive vertices per work-item
// tunables INDUCED: all arcs between the vertices that stay do, and not all vertices stay: decided by rank alone

#ifndef VIEW_OFFSET
#define VIEW_OFFSET int
#endif

static inline int stays(__global const uchar *restrict live, __global const uchar *restrict arcs,
                        __global const int *restrict rank, int loops, int v, int u, OFFSET p)
{
#ifdef INDUCED
    return rank[u + 1] - rank[u];
#else
    if (u == v && !loops)
        return 0;
    return arcs ? arcs[p] != 0 : !live || live[u];
#endif
}

// The vertices with a label.
__kernel void compact_choose(const int n, __global const int *restrict label, const int keep,
                             __global uchar *restrict live)
{
    FOR_ITEMS(v, n)
        live[v] = label[v] == keep;
}

// Of vertices with these names those that stay.
__kernel void compact_those(const int n, __global const int *restrict name, __global const uchar *restrict live,
                            __global uchar *restrict mine)
{
    FOR_ITEMS(v, n)
        mine[v] = live[name[v]];
}

// place[rank[v]] is v's name (origin[v], or v itself where that is NULL), count[rank[v]] the number of its arcs.
__kernel void compact_count(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const uchar *restrict live, __global const uchar *restrict arcs,
                            __global const int *restrict rank, const int loops, __global const int *restrict origin,
                            __global int *restrict place, __global int *restrict count)
{
    FOR_ITEMS(v, n) {
        if (live && !live[v])
            continue;
        const int r = rank ? rank[v] : v;
        int here = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
#ifdef INDUCED
            here += live[col_idx[p]];   // bytes: more of them fit in a cache
#else
            here += stays(live, arcs, rank, loops, v, col_idx[p], p);
#endif
        count[r] = here;
        if (place)
            place[r] = origin ? origin[v] : v;
    }
}

// Weights are copied as 64 bits: this needs no double.
__kernel void compact_fill(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                           __global const uchar *restrict live, __global const uchar *restrict arcs,
                           __global const int *restrict rank, const int loops,
                           __global const ulong *restrict weight, __global const int *restrict multiplicity,
                           __global const OFFSET *restrict new_row_ptr, __global int *restrict new_col,
                           __global ulong *restrict new_weight, __global int *restrict new_multiplicity)
{
    FOR_ITEMS(v, n) {
        if (live && !live[v])
            continue;
        const int r = rank ? rank[v] : v;
        const OFFSET end = new_row_ptr[r + 1];
        OFFSET to = new_row_ptr[r];
        // without a branch on what stays: what does not is written over by what comes next
        for (OFFSET p = row_ptr[v]; to < end; p++) {
            const int u = col_idx[p];
            new_col[to] = rank ? rank[u] : u;
            if (weight)
                new_weight[to] = weight[p];
            if (multiplicity)
                new_multiplicity[to] = multiplicity[p];
            to += stays(live, arcs, rank, loops, v, u, p);
        }
    }
}

static inline OFFSET first_at_least(__global const int *restrict col_idx, OFFSET low, OFFSET high, int u)
{
    while (low < high) {
        const OFFSET middle = low + (high - low) / 2;
        if (col_idx[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Which arcs of a directed graph stay, given those of its undirected view without loops (view_arcs). Where copies were
// kept, each arc is an edge of its own there; those from the smaller to the larger end come first.
__kernel void compact_match(const int n, const int copies, __global const OFFSET *restrict row_ptr,
                            __global const int *restrict col_idx, __global const VIEW_OFFSET *restrict view_row_ptr,
                            __global const int *restrict view_col, __global const uchar *restrict view_arcs,
                            __global uchar *restrict arcs)
{
    FOR_ITEMS(v, n)
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = col_idx[p];
            uchar here = 0;
            if (u != v) {
                VIEW_OFFSET low = view_row_ptr[v], high = view_row_ptr[v + 1];
                while (low < high) {
                    const VIEW_OFFSET middle = low + (high - low) / 2;
                    if (view_col[middle] < u)
                        low = middle + 1;
                    else
                        high = middle;
                }
                if (copies) {
                    low += (VIEW_OFFSET)(p - first_at_least(col_idx, row_ptr[v], p, u));
                    if (v > u)
                        low += (VIEW_OFFSET)(first_at_least(col_idx, row_ptr[u], row_ptr[u + 1], v + 1) -
                                             first_at_least(col_idx, row_ptr[u], row_ptr[u + 1], v));
                }
                here = view_arcs[low];
            }
            arcs[p] = here;
        }
}

// The rows of some vertices one behind the other: listed int[count], begin OFFSET[count + 1].
__kernel void compact_rows(const int count, __global const int *restrict listed,
                           __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                           __global const OFFSET *restrict begin, __global OFFSET *restrict first,
                           __global int *restrict head)
{
    FOR_ITEMS(i, count) {
        const OFFSET from = row_ptr[listed[i]], length = begin[i + 1] - begin[i];
        first[i] = from;
        for (OFFSET k = 0; k < length; k++)
            head[begin[i] + k] = col_idx[from + k];
    }
}
