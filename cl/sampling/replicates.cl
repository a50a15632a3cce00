// sampling/replicates.cl: exact samples (drv, dre) of one graph under many seeds, a run a work-item.
//
// A run puts the vertices (edges) in order of their keyed priorities, undoes the deletions from the last to the first by
// union-find, and goes down the tree of merges, from the node of the input's largest component, to every target: the
// sample of the loop of single deletions, in time O(m alpha(n)), without a launch in between. This is the fastest form
// on a core (there is nothing to synchronise, and a run of 100 000 edges stays in its cache); a GPU takes probes instead.
//
// target int[]      sizes wanted, decreasing
// area int[]        AREA ints a work-item
// next int[1]       the next run: work-items take runs as they become free
// member uint[]     for run r, target k: a bit for each vertex, words = ceil(n / 32), at (r * targets + k) * words
// kept uint[]       dre: a bit for each edge likewise
// count int[]       for run r, target k: vertices, edges, passes; at the end the largest component's vertices
// launch            any number of work-items, as many as there are areas

#include "../keyed.h"
#include "replicates.h"

#define BIT_OF(bits, i) (((bits)[(i) >> 5] >> ((i) & 31)) & 1u)

static inline void clear(__global uint *bits, const int words)
{
    for (int w = 0; w < words; ++w)
        bits[w] = 0;
}

// FIELDS of an area of 6n ints: key ulong[n] and end int[n], then node node_t[n]; order int[n]; up int[n]
__kernel void replicates_vertices(const int n, const ulong seed, const int runs, const int shift, const int buckets,
                                  __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                  const int targets,
                                  __global const int *restrict target, __global int *area, __global int *next,
                                  __global uint *restrict member, __global int *restrict count)
{
    __global int *mine = area + (size_t)get_global_id(0) * 6 * n;
    __global ulong *key = (__global ulong *)mine;
    __global int *end = mine + 2 * (size_t)n;
    __global int *order = mine + 4 * (size_t)n;
    const tree_t tree = {mine + 5 * (size_t)n, (__global node_t *)mine};
    const int words = (n + 31) / 32;
    for (int run = atomic_inc(next); run < runs; run = atomic_inc(next)) {
        for (int b = 0; b < buckets; ++b)
            end[b] = 0;
        for (int v = 0; v < n; ++v) {
            tree.up[v] = -1;
            key[v] = vertex_priority(seed + run, v);
            ++end[key[v] >> shift];
        }
        sort_places(buckets, end);
        for (int v = 0; v < n; ++v)
            order[end[key[v] >> shift]++] = v;
        sort_buckets(buckets, end, order, key);

        for (int i = n - 1; i >= 0; --i) {
            const int v = order[i];
            tree_new(tree, v, 1, v);
            for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; ++p) {
                const int u = col_idx[p];
                if (tree.up[u] < 0) continue;
                const int part = tree_top(tree.up, u);
                if (part != v) tree_take(tree, v, part);
            }
        }

        int node = tree_largest(tree, n), place = 0;
        if (run == 0) count[3 * runs * targets] = tree.node[node].size;
        for (int k = 0; k < targets; ++k) {
            while (tree.node[node].size > target[k] && tree.node[node].child >= 0)
                node = tree.node[node].child;
            while (order[place] != node)
                ++place;
            const size_t slot = (size_t)run * targets + k;
            __global uint *in = member + slot * words;
            int arcs = 0;
            clear(in, words);
            in[node >> 5] |= 1u << (node & 31);
            for (int i = place + 1; i < n; ++i) {
                const int v = order[i], above = tree.node[v].parent;
                if (above >= 0 && BIT_OF(in, above)) in[v >> 5] |= 1u << (v & 31);
            }
            for (int i = place; i < n; ++i) {
                const int v = order[i];
                if (BIT_OF(in, v))
                    for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; ++p)
                        arcs += BIT_OF(in, col_idx[p]);
            }
            count[3 * slot] = tree.node[node].size;
            count[3 * slot + 1] = arcs / 2;
            count[3 * slot + 2] = 1;
        }
    }
}

// FIELDS of an area of 4m + 12n ints: key ulong[m], end int[m], order int[m]; up int[2n] and node node_t[2n] of the
// vertices (0 .. n-1, leaves) and of deletions; cut int[n]: the place in `order` of the deletion that a further node is.
// low, high int[m]: the ends of each edge, low < high, ascending
__kernel void replicates_edges(const int n, const int m, const ulong seed, const int runs, const int shift,
                               const int buckets, __global const int *restrict low, __global const int *restrict high,
                               const int targets,
                               __global const int *restrict target, __global int *area, __global int *next,
                               __global uint *restrict member, __global uint *restrict kept,
                               __global int *restrict count)
{
    __global int *mine = area + (size_t)get_global_id(0) * (4 * (size_t)m + 12 * (size_t)n);
    __global ulong *key = (__global ulong *)mine;
    __global int *end = mine + 2 * (size_t)m;
    __global int *order = mine + 3 * (size_t)m;
    __global int *nodes = mine + 4 * (size_t)m;
    const size_t wide = 2 * (size_t)n;
    const tree_t tree = {nodes, (__global node_t *)(nodes + wide)};
    __global int *cut = nodes + 5 * wide;
    const int words = (n + 31) / 32, edge_words = (m + 31) / 32;
    for (int run = atomic_inc(next); run < runs; run = atomic_inc(next)) {
        for (int b = 0; b < buckets; ++b)
            end[b] = 0;
        int copy = 0;
        for (int e = 0; e < m; ++e) {
            copy = e > 0 && low[e] == low[e - 1] && high[e] == high[e - 1] ? copy + 1 : 0;
            key[e] = edge_priority(seed + run, low[e], high[e], copy);
            ++end[key[e] >> shift];
        }
        sort_places(buckets, end);
        for (int e = 0; e < m; ++e)
            order[end[key[e] >> shift]++] = e;
        sort_buckets(buckets, end, order, key);

        for (int v = 0; v < n; ++v)
            tree_new(tree, v, 1, v);
        int made = n;
        for (int i = m - 1; i >= 0; --i) {
            const int a = tree_top(tree.up, low[order[i]]);
            const int b = tree_top(tree.up, high[order[i]]);
            if (a == b) continue;
            tree_new(tree, made, 0, n);
            tree_take(tree, made, a);
            tree_take(tree, made, b);
            cut[made - n] = i;
            ++made;
        }

        int node = tree_largest(tree, made), last = -1;
        if (run == 0) count[3 * runs * targets] = tree.node[node].size;
        __global int *in_node = mine;   // keys are needed no more; node x >= n is at x - n
        for (int k = 0; k < targets; ++k) {
            while (tree.node[node].size > target[k] && tree.node[node].child >= 0) {
                last = cut[node - n];
                node = tree.node[node].child;
            }
            const size_t slot = (size_t)run * targets + k;
            __global uint *in = member + slot * words;
            __global uint *edges = kept + slot * edge_words;
            int edge_count = 0;
            clear(in, words);
            clear(edges, edge_words);
            for (int x = node; x >= n; --x) {
                const int above = tree.node[x].parent;
                in_node[x - n] = x == node || (above >= 0 && above <= node && in_node[above - n]);
            }
            for (int v = 0; v < n; ++v) {
                const int above = tree.node[v].parent;
                if (v == node || (above >= 0 && above <= node && in_node[above - n]))
                    in[v >> 5] |= 1u << (v & 31);
            }
            for (int i = last + 1; i < m; ++i) {
                const int e = order[i];
                if (!BIT_OF(in, low[e])) continue;   // an edge that is left has both ends in one component
                edges[e >> 5] |= 1u << (e & 31);
                ++edge_count;
            }
            count[3 * slot] = tree.node[node].size;
            count[3 * slot + 1] = edge_count;
            count[3 * slot + 2] = 1;
        }
    }
}
