// sampling/literature/ust.cl: uniform spanning trees by cycle popping (Propp, Wilson 1998).
//
// Each vertex has a stack of arrows, number(v, i; STEP) the i-th, and shows the top one. Arrows on a cycle are thrown away,
// until there is none; in which order does not matter. The vertices on cycles are the image of n steps, which pointer
// doubling makes. Few long cycles are popped one after the other instead, as Wilson's walks do.
//
// root    int[runs * n]: 1 for roots
// shown   uint[runs * n]: the number of the arrow that v shows
// next    int[runs * n]: where it leads; roots: to themselves
// jump    int[runs * n]: where 2^k steps lead
// first   int[runs * n]: of the cut, rank by priority, then of the first vertex of the subtree; depth int[runs * n]
// launch  padded range over vertices, by runs, ITEMS consecutive ones per work-item; walk: a run per work-item

#include "keyed.h"

static inline int arrow(ulong seed, int v, uint i, __global const OFFSET *row_ptr, __global const int *col_idx)
{
    const ulong a = keyed_a(keyed_words(seed, (uint)v, i, 0, TAG_STEP));
    return col_idx[row_ptr[v] + (OFFSET)mul_hi(a, (ulong)(row_ptr[v + 1] - row_ptr[v]))];
}

// The first arrows.
__kernel void ust_show(const int n, const ulong seed, __global const OFFSET *restrict row_ptr,
                       __global const int *restrict col_idx, __global const int *restrict root, __global int *restrict next)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n) {
        const long slot = (long)run * n + v;
        next[slot] = root[slot] ? v : arrow(seed + run, v, 0, row_ptr, col_idx);
    }
}

__kernel void ust_double(const int n, __global const int *restrict jump, __global int *restrict further)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) further[base + v] = jump[base + jump[base + v]];
}

// What n steps lead to is on a cycle, or a root.
__kernel void ust_mark(const int n, __global const int *restrict jump, volatile __global int *restrict mark)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        volatile __global int *mine = mark + base + jump[base + v];
        if (!SHARED_LOAD(mine)) atomic_or(mine, 1);   // 0 is only stale
    }
}

__kernel void ust_pop(const int n, const ulong seed, __global const OFFSET *restrict row_ptr,
                      __global const int *restrict col_idx, __global int *restrict mark, __global uint *restrict shown,
                      __global int *restrict next, volatile __global int *restrict going)
{
    const int run = (int)get_global_id(1);
    FOR_ITEMS(v, n) {
        const long slot = (long)run * n + v;
        if (mark[slot]) {
            mark[slot] = 0;
            if (next[slot] != v) {
                next[slot] = arrow(seed + run, v, ++shown[slot], row_ptr, col_idx);
                atomic_inc(going);
            }
        }
    }
}

// Wilson's walks: until it meets the tree a walk takes new arrows, and its last ones stay. tree: 1 where v hangs on a root.
__kernel void ust_walk(const int n, const int runs, const ulong seed, const int steps,
                       __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                       __global int *restrict tree, __global uint *restrict shown, __global int *restrict next,
                       __global int *restrict begun, __global int *restrict at, volatile __global int *restrict going)
{
    FOR_ITEMS(run, runs) {
        const long base = (long)run * n;
        int v = begun[run], u = at[run], made = 0;
        while (v < n && made < steps) {
            while (made < steps && !tree[base + u]) {
                next[base + u] = arrow(seed + run, u, shown[base + u]++, row_ptr, col_idx);
                u = next[base + u];
                made++;
            }
            if (tree[base + u]) {
                for (u = v; !tree[base + u]; u = next[base + u])
                    tree[base + u] = 1;
                made++;
                u = ++v;
            }
        }
        begun[run] = v;
        at[run] = u;
        if (v < n) atomic_inc(going);
    }
}

// Whether each vertex hangs on a root, from where n steps lead.
__kernel void ust_hangs(const int n, __global const int *restrict jump, __global const int *restrict next,
                        __global int *restrict tree)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        const int end = jump[base + v];
        tree[base + v] = next[base + end] == end;
    }
}

// A part of the tree: the branches to the root from the vertices in order of priority, until there are enough vertices. A vertex
// comes with the first vertex of its subtree, and those that come with one another in order of depth. Both are made by pointer
// doubling: after k rounds first[v] is that of the descendants nearer than 2^k.
__kernel void cut_begin(const int n, __global const int *restrict next, __global int *restrict jump,
                        __global int *restrict depth)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        jump[base + v] = next[base + v];
        depth[base + v] = next[base + v] != v;
    }
}

__kernel void cut_climb(const int n, __global const int *restrict jump, __global const int *restrict depth,
                        __global int *restrict further, __global int *restrict deeper,
                        volatile __global int *restrict first, volatile __global int *restrict going)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        const int up = jump[base + v];
        further[base + v] = jump[base + up];
        deeper[base + v] = depth[base + v] + depth[base + up];
        // what a neighbour's value in this round adds would come in a later one
        if (up != v) atomic_min(&first[base + up], SHARED_LOAD(first + base + v));
        if (depth[base + up]) atomic_inc(going);
    }
}

__kernel void cut_keys(const int n, __global const int *restrict first, __global const int *restrict depth,
                       __global ulong *restrict key)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) key[base + v] = (ulong)first[base + v] << 32 | (ulong)depth[base + v];
}
