// scale/forest_trees.cl: the trees of Boruvka's rounds: hooked onto each other, and relabelled.
//
// label   int[n]    root of the vertex's tree         up  int[n]  what a root was hooked onto, else itself
// best_t  ulong[n]  of roots: time of the largest edge that leaves the tree
// best_e  ulong[n]  of roots: its word, 0: none yet; of others: the word by which they, then roots, were hooked. So at the
//                   end it is the forest
// launch            padded ranges, each work-item takes ITEMS consecutive vertices
// tunables          ITEMS

__kernel void forest_start(const int n, __global int *restrict label, __global int *restrict up,
                           __global ulong *restrict best_t, __global ulong *restrict best_e)
{
    FOR_ITEMS(v, n) {
        label[v] = up[v] = v;
        best_t[v] = best_e[v] = 0;
    }
}

__kernel void forest_hook(const int n, __global const int *restrict label, __global const ulong *restrict best_e,
                          __global int *restrict up)
{
    FOR_ITEMS(v, n)
        if (label[v] == v && best_e[v] != 0) {
            const ulong word = best_e[v];
            const int la = label[(uint)(word >> 32)];
            const int other = la == v ? label[(uint)word] : la;
            if (best_e[other] != word || v > other)
                up[v] = other;
        }
}

// Every root of this round finds the top of its chain. Others write their own slots meanwhile, always something further
// up the same chain, so a stale value only makes the way longer.
__kernel void forest_climb(const int n, __global const int *restrict label, __global int *up)
{
    FOR_ITEMS(v, n)
        if (label[v] == v) {
            int top = SHARED_LOAD(&up[v]);
            for (int next = SHARED_LOAD(&up[top]); next != top; next = SHARED_LOAD(&up[top]))
                top = next;
            SHARED_STORE(&up[v], top);
        }
}

__kernel void forest_label(const int n, __global const int *restrict up, __global int *restrict label,
                           __global ulong *restrict best_t, __global ulong *restrict best_e)
{
    FOR_ITEMS(v, n) {
        label[v] = up[label[v]];
        best_t[v] = 0;
        if (up[v] == v)   // still a root
            best_e[v] = 0;
    }
}
