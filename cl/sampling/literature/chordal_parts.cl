// sampling/literature/chordal_parts.cl: parts of equal size in breadth-first order (quasi-chordal).
//
// Each component is searched from its vertex of smallest priority. Vertices go by component (that of the smallest
// priority first), then by level, then by index; part k of P has the ranks r with floor(r P / n) = k.
//
// label   int[n]          smallest vertex of each vertex's component
// order   int[runs n]     rank of each item by priority, over all runs
// least   int[runs n]     at a component's label: the smallest rank in it; NOBODY elsewhere
// level   int[runs n]     FAR: not reached yet
// launch  padded range of vertices by runs, or of items; ITEMS consecutive ones per work-item

#define FAR 0x7FFFFFFF

__kernel void parts_least(const int n, __global const int *restrict label, __global const int *restrict order,
                          volatile __global int *restrict least)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n)
        atomic_min(&least[base + label[v]], order[base + v]);
}

// Levels 0; each vertex's component, by its smallest rank.
__kernel void parts_begin(const int n, __global const int *restrict label, __global const int *restrict order,
                          __global const int *restrict least, __global int *restrict component,
                          __global int *restrict level, __global int *restrict next, volatile __global int *restrict going)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        const int smallest = least[base + label[v]];
        const int starts = smallest == order[base + v];
        component[base + v] = smallest;
        level[base + v] = starts ? 0 : FAR;
        if (starts) next[atomic_inc(going)] = (int)(base + v);
    }
}

__kernel void parts_level(const int count, const int n, const int depth, __global const OFFSET *restrict row_ptr,
                          __global const int *restrict col_idx, __global const int *restrict active,
                          volatile __global int *restrict level, __global int *restrict next,
                          volatile __global int *restrict going)
{
    FOR_ITEMS(j, count) {
        const int x = active[j], first = x / n * n, v = x - first;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
            const int u = first + col_idx[p];
            // a stale FAR is found out by the exchange
            if (SHARED_LOAD(&level[u]) == FAR && atomic_cmpxchg(&level[u], FAR, depth) == FAR)
                next[atomic_inc(going)] = u;
        }
    }
}

// The part of each item: by its rank `position` in breadth-first order, or as given for each vertex.
__kernel void parts_number(const long count, const int n, const int parts, __global const int *restrict item,
                           __global const int *restrict given, __global int *restrict part, __global int *restrict slot)
{
    FOR_ITEMS_LONG(i, count) {
        const int x = item ? item[i] : (int)i;
        const int run = x / n;
        const int mine = given ? given[x - run * n] : (int)((i - (long)run * n) * parts / n);
        part[x] = mine;
        slot[x] = run * parts + mine;
    }
}
