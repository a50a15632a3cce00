// sampling/replicates.h: exact reductions (drv, dre) of one graph under many seeds, the parts that one work-item does.
//
// An area of a run is a block of AREA ints that no other work-item uses; its arrays are named at FIELDS of each file.
// The tree of merges is that of sampling/merge_tree.cl: a node is a deletion, its children are the components that the
// deletion left, and going down to the child with the most vertices (in a tie, the one with the smallest vertex) is
// what the loop of single deletions does.

typedef struct {
    int parent;     // in the tree; -1: none
    int size;       // vertices
    int smallest;   // smallest vertex
    int child;      // the child that is kept, -1: none
} node_t;           // side by side, since a merge touches all of them

// up int[]: union-find over nodes (path halving); -1: not there yet
typedef struct {
    __global int *up;
    __global node_t *node;
} tree_t;

static inline int tree_top(__global int *up, int node)
{
    int above = up[node];
    while (above != node) {
        const int next = up[above];
        up[node] = next;
        node = next;
        above = up[node];
    }
    return node;
}

static inline void tree_new(const tree_t tree, const int node, const int size, const int smallest)
{
    const node_t fresh = {-1, size, smallest, -1};
    tree.up[node] = node;
    tree.node[node] = fresh;
}

// `part` becomes a child of `node`, the kept one if it is the largest so far.
static inline void tree_take(const tree_t tree, const int node, const int part)
{
    __global node_t *above = tree.node + node, *below = tree.node + part;
    const int best = above->child, size = below->size, smallest = below->smallest;
    tree.up[part] = node;
    below->parent = node;
    if (best < 0 || size > tree.node[best].size ||
        (size == tree.node[best].size && smallest < tree.node[best].smallest))
        above->child = part;
    above->size += size;
    above->smallest = min(above->smallest, smallest);
}

// The top node of the largest component; of equally large ones, that with the smallest vertex.
static inline int tree_largest(const tree_t tree, const int nodes)
{
    int best = -1;
    for (int i = 0; i < nodes; ++i) {
        if (tree.up[i] != i) continue;
        if (best < 0 || tree.node[i].size > tree.node[best].size ||
            (tree.node[i].size == tree.node[best].size && tree.node[i].smallest < tree.node[best].smallest))
            best = i;
    }
    return best;
}

// Sorts order[0 .. count-1], names of keys that lie in order of their upper bits already, within each bucket of equal
// upper bits: equal keys by name. end[b] is the end of bucket b. Keys are uniform: a bucket holds a few.
static inline void sort_buckets(const int buckets, __global const int *end, __global int *order,
                                __global const ulong *key)
{
    for (int b = 0; b < buckets; ++b) {
        const int begin = b == 0 ? 0 : end[b - 1];
        for (int i = begin + 1; i < end[b]; ++i) {
            const int name = order[i];
            const ulong mine = key[name];
            int j = i;
            for (; j > begin && (key[order[j - 1]] > mine || (key[order[j - 1]] == mine && order[j - 1] > name)); --j)
                order[j] = order[j - 1];
            order[j] = name;
        }
    }
}

// end[b] from counts to the first place of each bucket: the places are then handed out by end[b]++.
static inline void sort_places(const int buckets, __global int *end)
{
    int before = 0;
    for (int b = 0; b < buckets; ++b) {
        const int count = end[b];
        end[b] = before;
        before += count;
    }
}
