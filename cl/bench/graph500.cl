// bench/graph500.cl: validation of Graph500's trees by the specification's five rules; the host half says them.
//
// Levels are found by pointer doubling: `up` leads steps[v] edges up from v, twice as many after each round. Then a
// vertex's parent and value are put side by side, since an edge of the list reads both at random places.
//
// PATHS          shortest paths: values are bits of float32 distances, else levels
// n, count       vertices of the tree, edges of the list (at most 2^31)
// root           where the tree begins
// source, target, weight    int[count], float[count]: the list; weight only with PATHS
// parent         int[n]: the root's is itself, -1 where the search did not come
// value          int[n]
// up, steps      int[n]; `further` and `more` are those of the next round
// ends           int2[n]: parent, value (written as ints: Oclgrind takes pairs made of two words for uninitialised)
// moved          int[1], 0 before: 1 if some `further` is not the end
// known          uint[n], 0 before: IN_LIST, TIGHT; `wanted` is one of them
// wrong          uint[6], all ones before: the first vertex or edge by which each check fails
// launch         padded range, ITEMS consecutive vertices or edges per work-item

enum { RANGE, CYCLE, VALUE, HALF, EDGE, LIST };   // the checks, in the order of the host's
enum { IN_LIST = 1, TIGHT = 2 };                  // v and its parent: an edge, and one that makes up their distances

__kernel void tree_begin(const int n, __global const int *restrict parent, __global int *restrict up,
                         __global int *restrict steps, volatile __global uint *wrong)
{
    FOR_ITEMS(v, n) {
        const int to = parent[v];
        if (to >= n)
            atomic_min(&wrong[RANGE], (uint)v);
        up[v] = to < 0 || to >= n ? v : to;
        steps[v] = up[v] != v;
    }
}

__kernel void tree_climb(const int n, __global const int *restrict up, __global const int *restrict steps,
                         __global int *restrict further, __global int *restrict more, volatile __global int *moved)
{
    FOR_ITEMS(v, n) {
        const int at = up[v], to = up[at];
        further[v] = to;
        more[v] = steps[v] + steps[at];
        if (to != at)
            SHARED_STORE(moved, 1);
    }
}

__kernel void tree_vertices(const int n, const int root, __global const int *restrict parent,
                            __global const int *restrict value, __global const int *restrict up,
                            __global const int *restrict steps, __global int *restrict ends,
                            volatile __global uint *wrong)
{
    FOR_ITEMS(v, n) {
        const int reached = parent[v] >= 0, level = up[v] == root ? steps[v] : -1;
        ends[2 * (size_t)v] = parent[v];
        if (reached && level < 0)
            atomic_min(&wrong[CYCLE], (uint)v);
#ifdef PATHS
        const float distance = as_float(value[v]);
        if (!(distance >= 0))
            atomic_min(&wrong[VALUE], (uint)v);
        if (reached != (distance < INFINITY))
            atomic_min(&wrong[HALF], (uint)v);
        ends[2 * (size_t)v + 1] = value[v];
#else
        if (value[v] != (reached ? level : -1))
            atomic_min(&wrong[VALUE], (uint)v);
        ends[2 * (size_t)v + 1] = reached ? level : -2;   // by more than 1 from any level in the tree
#endif
    }
}

// One end of an edge, and the bits of `known` that the edge gives to the other.
static inline uint bits_of(const int vertex, const int parent_of_other, const int is_tight)
{
    return parent_of_other == vertex ? is_tight ? IN_LIST | TIGHT : IN_LIST : 0;
}

__kernel void tree_edges(const long count, __global const int *restrict source, __global const int *restrict target,
                         __global const float *restrict weight, __global const int2 *restrict ends,
                         volatile __global uint *known, volatile __global uint *wrong)
{
    FOR_ITEMS_LONG(e, count) {
        const int u = source[e], v = target[e];
        const int2 a = ends[u], b = ends[v];
#ifdef PATHS
        const float to_v = as_float(a.y) + weight[e], to_u = as_float(b.y) + weight[e];
        const int breaks = to_u < as_float(a.y) || to_v < as_float(b.y);
        const uint of_u = bits_of(v, a.x, to_u == as_float(a.y)), of_v = bits_of(u, b.x, to_v == as_float(b.y));
#else
        const int breaks = abs(a.y - b.y) > 1;
        const uint of_u = bits_of(v, a.x, 1), of_v = bits_of(u, b.x, 1);
#endif
        if (breaks)
            atomic_min(&wrong[EDGE], (uint)e);
        if (of_u)
            atomic_or(&known[u], of_u);
        if (of_v)
            atomic_or(&known[v], of_v);
    }
}

// What the tree's vertices lack, but for the root; `wanted` has the bits that are looked for.
__kernel void tree_known(const int n, const int root, const uint wanted, __global const int *restrict parent,
                         __global const uint *restrict known, volatile __global uint *wrong)
{
    FOR_ITEMS(v, n)
        if (v != root && parent[v] >= 0 && !(known[v] & wanted))
            atomic_min(&wrong[LIST], (uint)v);
}
