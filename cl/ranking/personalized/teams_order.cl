// ranking/personalized/teams_order.cl: rows by decreasing length for ranking/personalized/teams.cl, and the long ones cut
// into pieces; once per graph. (Sorting is csr/sort.cl's.)
//
// key uint[n]         MOST - length, sorted; rows of MOST arcs and more are few, and long in any order
// bound int[2]        positions at which the rows of more than `piece` arcs end, and those that have arcs
// order int[n]        the row at each position
// first int[long_rows + 1]          first piece of each long row
// piece_begin, piece_end OFFSET[]   arcs of each piece
// launch      padded range, each work-item takes ITEMS consecutive rows
// tunables    ITEMS

#define MOST 65535u

__kernel void teams_keys(const int n, __global const OFFSET *restrict row_ptr, __global uint *restrict key)
{
    FOR_ITEMS(v, n) key[v] = MOST - (uint)min(row_ptr[v + 1] - row_ptr[v], (OFFSET)MOST);
}

__kernel void teams_bounds(const int n, const int piece, __global const uint *restrict key, __global int *restrict bound)
{
    FOR_ITEMS(k, 2) {
        const uint least = MOST - (k == 0 ? (uint)piece : 0);
        int low = 0, high = n;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (key[middle] < least)
                low = middle + 1;
            else
                high = middle;
        }
        bound[k] = low;
    }
}

// Pieces of each long row; most: the most of one.
__kernel void teams_counts(const int long_rows, const int piece, __global const int *restrict order,
                           __global const OFFSET *restrict row_ptr, __global int *restrict count,
                           volatile __global int *most)
{
    FOR_ITEMS(i, long_rows) {
        const int v = order[i], pieces = (int)((row_ptr[v + 1] - row_ptr[v] + piece - 1) / piece);
        count[i] = pieces;
        // stale is harmless: the word only grows
        if (pieces > SHARED_LOAD(most))
            atomic_max(most, pieces);
    }
}

__kernel void teams_cut(const int long_rows, const int piece, __global const int *restrict order,
                        __global const OFFSET *restrict row_ptr, __global const int *restrict first,
                        __global OFFSET *restrict piece_begin, __global OFFSET *restrict piece_end)
{
    FOR_ITEMS(i, long_rows) {
        OFFSET from = row_ptr[order[i]];
        const OFFSET to = row_ptr[order[i] + 1];
        for (int k = first[i]; k < first[i + 1]; k++, from += piece) {
            piece_begin[k] = from;
            piece_end[k] = min(from + piece, to);
        }
    }
}
