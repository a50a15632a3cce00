// csr/views.cl: a directed graph's arcs reversed, and its undirected view.
//
// The arcs are sorted by their heads (csr/sort.cl, stable: rows of the reversed graph ascend like those of the graph).
// The neighbours of v in the undirected view are the heads of its row and those of its row in the reversed graph,
// merged as two ascending lists.
//
// row_ptr OFFSET[n + 1], col_idx int[arcs]       the graph
// back_ptr OFFSET[n + 1], back int[arcs]         the reversed graph
// weight ulong[arcs] (bits) or double[arcs]; multiplicity int[arcs]; each may be NULL
// launch   padded range, ITEMS consecutive vertices or arcs per work-item

__kernel void views_tails(const int n, __global const OFFSET *restrict row_ptr, __global int *restrict tail)
{
    FOR_ITEMS(v, n)
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            tail[p] = v;
}

// Offsets of rows from the sorted heads.
__kernel void views_offsets(const int n, const long arcs, __global const uint *restrict head,
                            __global OFFSET *restrict back_ptr)
{
    FOR_ITEMS(v, n + 1) {
        long low = 0, high = arcs;
        while (low < high) {
            const long middle = low + (high - low) / 2;
            if (head[middle] < (uint)v)
                low = middle + 1;
            else
                high = middle;
        }
        back_ptr[v] = (OFFSET)low;
    }
}

// The reversed graph of arcs that are sorted by the upper bits of their heads alone: a work-item finishes the rows of a
// window of 2^low heads, which a core's own cache holds. from: each arc's number, or (tail NULL) its tail; next int[n]:
// scratch.
__kernel void views_rows(const int n, const long arcs, const int low, const int windows,
                         __global const uint *restrict head, __global const int *restrict from,
                         __global const int *restrict tail, __global const ulong *restrict weight,
                         __global const int *restrict multiplicity, __global int *restrict next,
                         __global OFFSET *restrict back_ptr, __global int *restrict back,
                         __global ulong *restrict back_weight, __global int *restrict back_multiplicity)
{
    const int w = get_global_id(0);
    if (w < windows) {
        const int first = w << low, last = min(n - first, 1 << low) + first;
        long bound[2];
        for (int k = 0; k < 2; k++) {
            long below = 0, above = arcs;
            while (below < above) {
                const long middle = below + (above - below) / 2;
                if (head[middle] >> low < (uint)(w + k))
                    below = middle + 1;
                else
                    above = middle;
            }
            bound[k] = below;
        }
        for (int v = first; v < last; v++)
            next[v] = 0;
        for (long e = bound[0]; e < bound[1]; e++)
            next[head[e]]++;
        int at = (int)bound[0];
        for (int v = first; v < last; v++) {
            const int length = next[v];
            back_ptr[v] = next[v] = at;
            at += length;
        }
        if (last == n)
            back_ptr[n] = (OFFSET)arcs;
        for (long e = bound[0]; e < bound[1]; e++) {
            const int to = next[head[e]]++, i = from[e];
            back[to] = tail ? tail[i] : i;
            if (weight)
                back_weight[to] = weight[i];
            if (multiplicity)
                back_multiplicity[to] = multiplicity[i];
        }
    }
}

// The arcs in the order of `order`; weights as bits.
__kernel void views_reorder(const long arcs, __global const int *restrict order, __global const int *restrict tail,
                            __global const ulong *restrict weight, __global const int *restrict multiplicity,
                            __global int *restrict back, __global ulong *restrict back_weight,
                            __global int *restrict back_multiplicity)
{
    FOR_ITEMS_LONG(p, arcs) {
        const int from = order[p];
        back[p] = tail[from];
        if (weight)
            back_weight[p] = weight[from];
        if (multiplicity)
            back_multiplicity[p] = multiplicity[from];
    }
}

// Number of neighbours of each vertex; `keep`: every arc is an edge of its own.
__kernel void views_merge_count(const int n, const int keep, __global const OFFSET *restrict row_ptr,
                                __global const int *restrict col_idx, __global const OFFSET *restrict back_ptr,
                                __global const int *restrict back, __global int *restrict count)
{
    FOR_ITEMS(v, n) {
        OFFSET p = row_ptr[v], q = back_ptr[v];
        int found = 0, last = -1;
        while (p < row_ptr[v + 1] || q < back_ptr[v + 1]) {
            const int out = p < row_ptr[v + 1] ? col_idx[p] : INT_MAX, in = q < back_ptr[v + 1] ? back[q] : INT_MAX;
            const int u = min(out, in);
            if (u == out)
                p++;
            else
                q++;
            if (u == v && u != out)
                continue;   // a loop is in both rows and counts once
            found += keep || u != last;
            last = u;
        }
        count[v] = found;
    }
}

#ifdef HAVE_FP64
#define REAL double
#else
#define REAL ulong   // the host adds weights up
#endif

// The neighbours, the sums of their weights and counts. facts[0]: counts above 1; facts[1]: sums that do not fit.
__kernel void views_merge_fill(const int n, const int keep, __global const OFFSET *restrict row_ptr,
                               __global const int *restrict col_idx, __global const REAL *restrict weight,
                               __global const int *restrict multiplicity, __global const OFFSET *restrict back_ptr,
                               __global const int *restrict back, __global const REAL *restrict back_weight,
                               __global const int *restrict back_multiplicity, __global const OFFSET *restrict view_ptr,
                               __global int *restrict view, __global REAL *restrict view_weight,
                               __global int *restrict view_multiplicity, volatile __global uint *facts)
{
    uint several = 0, wrong = 0;
    FOR_ITEMS(v, n) {
        OFFSET p = row_ptr[v], q = back_ptr[v], to = view_ptr[v];
        long many = 0;
        int last = -1;
        REAL sum = 0;
        while (p < row_ptr[v + 1] || q < back_ptr[v + 1]) {
            const int out = p < row_ptr[v + 1] ? col_idx[p] : INT_MAX, in = q < back_ptr[v + 1] ? back[q] : INT_MAX;
            const int u = min(out, in);
            // of edges between the same two vertices those from the smaller one come first
            const int outwards = u == out && (u != in || v <= u);
            const OFFSET at = outwards ? p++ : q++;
            if (u == v && !outwards)
                continue;   // a loop is in both rows and counts once
            const REAL w = weight ? (outwards ? weight[at] : back_weight[at]) : 0;
            const long m = multiplicity ? (outwards ? multiplicity[at] : back_multiplicity[at]) : 1;
            const int fresh = keep || u != last;
            many = fresh ? m : many + m;
            sum = fresh ? w : sum + w;
            last = u;
            to += fresh;
            view[to - 1] = u;
            if (weight)
                view_weight[to - 1] = sum;
            if (!keep)
                view_multiplicity[to - 1] = (int)min(many, (long)INT_MAX);
            several |= many > 1;
            wrong |= many > INT_MAX;
#ifdef HAVE_FP64
            wrong |= weight && !isfinite(sum);
#endif
        }
    }
    if (several)
        atomic_or(&facts[0], 1u);
    if (wrong)
        atomic_or(&facts[1], 1u);
}
