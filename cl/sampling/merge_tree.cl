// sampling/merge_tree.cl: a whole reduction by drv or dre in one backward pass (exact at every size).
//
// Deletions are undone in reverse order. A node represents a deletion and the component in which it was made; its
// children are the components that the deletion left. Going down from the input's largest component, each time to the
// child with the most vertices (in a tie, the one with the smallest vertex), tells how many vertices and edges were
// left after every deletion.
//
// up int[]        union-find over nodes (path halving)
// size, arcs, smallest, child   of a node: vertices; arcs when it was whole; smallest vertex; the child that is kept
//                 (-1: none)
// vertices        node i is the i-th deletion; it counts the deleted vertex, which is not among its children
// edges           nodes 0 .. n-1 are the vertices, leaves; each deletion that cuts a component in two makes another.
//                 Deletions on cycles make none: they are counted by the difference of a node's arcs now and `fresh`,
//                 its arcs when it was made.
// launch          one work-item, since each step needs the one before; several launches, so that none takes long

static inline int top(__global int *restrict up, int node)
{
    while (up[node] != node) {
        up[node] = up[up[node]];
        node = up[node];
    }
    return node;
}

// `part` becomes a child of `node`, the kept one if it is the largest so far.
static inline void take(int node, int part, __global int *restrict up, __global int *restrict size,
                        __global OFFSET *restrict arcs, __global int *restrict smallest, __global int *restrict child)
{
    const int best = child[node];
    up[part] = node;
    size[node] += size[part];
    arcs[node] += arcs[part];
    if (best < 0 || size[part] > size[best] || (size[part] == size[best] && smallest[part] < smallest[best]))
        child[node] = part;
    smallest[node] = min(smallest[node], smallest[part]);
}

// Restores vertices order[end - 1] .. order[begin]; rank[v] is the position of v in `order`.
__kernel void merge_tree_vertices(const int begin, const int end, __global const int *restrict order,
                                  __global const int *restrict rank, __global const OFFSET *restrict row_ptr,
                                  __global const int *restrict col_idx, __global int *restrict up,
                                  __global int *restrict size, __global OFFSET *restrict arcs,
                                  __global int *restrict smallest, __global int *restrict child)
{
    if (get_global_id(0) != 0) return;
    for (int i = end - 1; i >= begin; --i) {
        const int v = order[i];
        up[i] = i;
        size[i] = 1;
        arcs[i] = 0;
        smallest[i] = v;
        child[i] = -1;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; ++p) {
            const int later = rank[col_idx[p]];
            if (later <= i) continue;
            arcs[i] += 2;
            const int part = top(up, later);
            if (part != i) take(i, part, up, size, arcs, smallest, child);
        }
    }
}

__kernel void merge_tree_leaves(const int n, __global int *restrict up, __global int *restrict size,
                                __global OFFSET *restrict arcs, __global int *restrict smallest,
                                __global int *restrict child)
{
    FOR_ITEMS(v, n) {
        up[v] = v;
        size[v] = 1;
        arcs[v] = 0;
        smallest[v] = v;
        child[v] = -1;
    }
}

// Restores edges end - 1 .. begin of the order. Nodes are numbered as they are made, from state[0] on.
__kernel void merge_tree_edges(const long begin, const long end, __global const int *restrict low,
                               __global const int *restrict high, __global int *restrict up,
                               __global int *restrict size, __global OFFSET *restrict arcs,
                               __global int *restrict smallest, __global int *restrict child,
                               __global OFFSET *restrict fresh, __global int *restrict state)
{
    if (get_global_id(0) != 0) return;
    int node = state[0];
    for (long i = end - 1; i >= begin; --i) {
        const int a = top(up, low[i]);
        const int b = top(up, high[i]);
        if (a == b) {
            arcs[a] += 2;
            continue;
        }
        up[node] = node;
        size[node] = 0;
        arcs[node] = 2;
        smallest[node] = smallest[a];
        child[node] = -1;
        take(node, a, up, size, arcs, smallest, child);
        take(node, b, up, size, arcs, smallest, child);
        fresh[node] = arcs[node];
        ++node;
    }
    state[0] = node;
}

// state[1]: the top node of the largest component; of equally large ones, that with the smallest vertex.
__kernel void merge_tree_root(const int nodes, __global const int *restrict up, __global const int *restrict size,
                              __global const int *restrict smallest, __global int *restrict state)
{
    if (get_global_id(0) != 0) return;
    int best = -1;
    for (int i = 0; i < nodes; ++i)
        if (up[i] == i && (best < 0 || size[i] > size[best] || (size[i] == size[best] && smallest[i] < smallest[best])))
            best = i;
    state[1] = best;
}

// Goes down from state[1], at most `count` steps: deletions so far, vertices and arcs after each. state[2]: steps.
// `by_edges`: (arcs - fresh) / 2 edges on cycles were deleted from a node before the one that cut it.
__kernel void merge_tree_follow(const int count, const int by_edges,
                                __global const int *restrict size, __global const OFFSET *restrict arcs,
                                __global const OFFSET *restrict fresh, __global const int *restrict child,
                                __global OFFSET *restrict deletions, __global int *restrict vertices,
                                __global OFFSET *restrict left, __global int *restrict state)
{
    if (get_global_id(0) != 0) return;
    int node = state[1];
    int step = 0;
    OFFSET gone = 0;
    while (step < count && child[node] >= 0) {
        gone += by_edges ? (arcs[node] - fresh[node]) / 2 + 1 : 1;
        node = child[node];
        deletions[step] = gone;
        vertices[step] = size[node];
        left[step] = arcs[node];
        ++step;
    }
    state[1] = node;
    state[2] = step;
}
