// components/finder_rank.cl: sizes of the components, and their numbers 0 .. k-1 by decreasing size.
//
// label int[n]    label[v] = the smallest vertex of v's component, its root (components/finder.cl); -1 = v is absent
// count int[n]    members of a component apart from its root, at the root's position; later its number, there too
// state int[2]    see components/finder.cl
// sums int[3]     size of the sampled giant, number of vertices present, the giant's root (-1: none sampled)
// tally int[2b]   per block of BLOCK vertices: roots of single vertices, then for each block those of larger components
// before int[]    running sums of all of tally, by which single vertices get their numbers and the others their
//                 positions in a list, each by ascending vertex, without an atomic. The list is short or cheap to sort:
//                 the host does.
// launch          components_count: padded range, ITEMS consecutive vertices per work-item, a fixed local size;
//                 the others: padded range, one work-item per block (rank_blocks, rank_place) or ITEMS vertices
// tunables        BLOCK 64 on GPUs, 2048 on CPUs; ITEMS 8 on GPUs, hundreds on CPUs

#ifndef BLOCK
#ifdef KIND_GPU
#define BLOCK 64
#else
#define BLOCK 2048
#endif
#endif

#define GIANT 0
#define MEMBERS 0
#define PRESENT 1
#define ROOT 2

// Size of the sampled giant and number of vertices present; with `all`, also count[] of all roots. All additions for
// the giant would go to one address: they are summed in a work-item, then in the work-group, then added once.
__kernel void components_count(const int n, __global const int *restrict label,
                               __global const int *restrict state, const int all, __global int *count,
                               __global int *sums)
{
    __local int members, present;
    if (get_local_id(0) == 0) {
        members = 0;
        present = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int seed = state[GIANT];
    int giant = seed < 0 ? -2 : label[seed];   // its root may have been hooked since it was sampled
    if (get_global_id(0) == 0) sums[ROOT] = giant;
    int mine = 0, there = 0, other = 0;
    FOR_ITEMS(v, n) {
        int root = label[v];
        mine += root == giant;
        there += root >= 0;
        other += root >= 0 & root != giant & root != v;
    }
    if (all && other) {                        // most work-items have no vertex that is counted singly
        int run = -1, length = 0;              // vertices with close numbers are often neighbours in the graph
        FOR_ITEMS(w, n) {
            int root = label[w];
            if (root < 0 || root == giant || root == w) continue;
            if (root != run) {
                if (length) atomic_add(count + run, length);
                run = root;
                length = 0;
            }
            ++length;
        }
        if (length) atomic_add(count + run, length);
    }
    if (mine) atomic_add(&members, mine);
    if (there) atomic_add(&present, there);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        if (members) {
            atomic_add(sums + MEMBERS, members);
            if (all) atomic_add(count + giant, members);
        }
        if (present) atomic_add(sums + PRESENT, present);
    }
}

// The giant's count includes its root (components_count cannot tell where that is): subtract it. One work-item.
__kernel void components_count_end(__global const int *restrict label, __global const int *restrict state,
                                   __global int *restrict count)
{
    if (get_global_id(0) == 0 && state[GIANT] >= 0) count[label[state[GIANT]]] -= 1;
}

__kernel void rank_blocks(const int n, const int blocks, __global const int *restrict label,
                          __global const int *restrict count, __global int *restrict tally)
{
    int block = get_global_id(0);
    if (block >= blocks) return;
    int single = 0, larger = 0;
    int end = n - block * BLOCK > BLOCK ? (block + 1) * BLOCK : n;
    for (int v = block * BLOCK; v < end; ++v) {
        int root = label[v] == v;
        int alone = count[v] == 0;
        single += root & alone;
        larger += root & !alone;
    }
    tally[block] = single;
    tally[blocks + block] = larger;
}

// count[v] of a single vertex becomes its number; the roots of larger components go into a list with their sizes.
__kernel void rank_place(const int n, const int blocks, const int singles, const int all_larger,
                         __global const int *restrict label, __global int *restrict count,
                         __global const int *restrict before, __global int *restrict root, __global int *restrict size)
{
    int block = get_global_id(0);
    if (block >= blocks) return;
    int single = all_larger + before[block];   // single vertices come last
    int larger = before[blocks + block] - singles;
    int end = n - block * BLOCK > BLOCK ? (block + 1) * BLOCK : n;
    for (int v = block * BLOCK; v < end; ++v) {
        // single vertices occur unpredictably: no branch for them
        int is_root = label[v] == v;
        int counted = count[v];
        int alone = is_root & (counted == 0);
        count[v] = alone ? single : counted;
        single += alone;
        if (is_root & !alone) {
            root[larger] = v;
            size[larger] = counted + 1;
            ++larger;
        }
    }
}

// Entry i of the list of larger components gets the number place[i].
__kernel void rank_scatter(const int larger, __global const int *restrict root, __global const int *restrict place,
                           __global int *restrict number)
{
    int i = get_global_id(0);
    if (i < larger) number[root[i]] = place[i];
}

// label[v] = the number of v's component.
__kernel void rank_apply(const int n, __global int *restrict label, __global const int *restrict number)
{
    FOR_ITEMS(v, n) {
        int root = label[v];
        if (root >= 0) label[v] = number[root];
    }
}

// Largest component of each block of BLOCK vertices (of equally large ones the one with the smallest root):
// best[2b] = root (-1: none), best[2b + 1] = size. count[] as components_count left it.
__kernel void largest_blocks(const int n, const int blocks, __global const int *restrict label,
                             __global const int *restrict count, __global int *restrict best)
{
    int block = get_global_id(0);
    if (block >= blocks) return;
    int root = -1, size = 0;
    int end = n - block * BLOCK > BLOCK ? (block + 1) * BLOCK : n;
    for (int v = block * BLOCK; v < end; ++v) {
        if (label[v] == v && count[v] + 1 > size) {
            root = v;
            size = count[v] + 1;
        }
    }
    best[2 * block] = root;
    best[2 * block + 1] = size;
}

// The first of the largest of each run of BLOCK pairs that `largest_blocks` left, as pairs.
__kernel void largest_pairs(const int blocks, const int runs, __global const int *restrict best,
                            __global int *restrict winner)
{
    int run = get_global_id(0);
    if (run >= runs) return;
    int found = run * BLOCK;
    int end = blocks - found > BLOCK ? found + BLOCK : blocks;
    for (int b = found + 1; b < end; ++b)
        if (best[2 * b + 1] > best[2 * found + 1]) found = b;
    winner[2 * run] = best[2 * found];
    winner[2 * run + 1] = best[2 * found + 1];
}

// Sizes of the components of listed roots.
__kernel void sizes_of(const int listed, __global const int *restrict roots, __global const int *restrict count,
                       __global int *restrict size)
{
    FOR_ITEMS(i, listed) size[i] = count[roots[i]] + 1;
}
