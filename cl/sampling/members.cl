// sampling/members.cl: numbers for some of the vertices, in ascending order, without atomics: in between the host turns
// the counts of blocks into running sums.
//
// label   int[n]    keep >= 0 selects the vertices with label[v] == keep; keep < 0 the roots, label[v] == v
// launch  padded range, one work-item per block of BLOCK vertices

#ifndef BLOCK
#ifdef KIND_GPU
#define BLOCK 64
#else
#define BLOCK 2048
#endif
#endif

// for (each vertex v of this work-item's block)
#define FOR_BLOCK(v, n)                                                      \
    for (int v = (int)min((long)get_global_id(0) * BLOCK, (long)(n)),        \
             v##_bound = (int)min((long)v + BLOCK, (long)(n)); v < v##_bound; ++v)

static inline int is_member(int v, int keep, __global const int *restrict label)
{
    return label[v] == (keep < 0 ? v : keep);
}

__kernel void members_count(const int n, const int keep, __global const int *restrict label,
                            __global int *restrict count)
{
    int members = 0;
    FOR_BLOCK(v, n)
        members += is_member(v, keep, label);
    const long first = (long)get_global_id(0) * BLOCK;
    if (first < n)
        count[first / BLOCK] = members;
}

// number[v] = rank of v among the members, -1 if it is none; name[rank] = old[v], or v where old is NULL.
__kernel void members_number(const int n, const int keep, __global const int *restrict label,
                             __global const int *restrict before, __global const int *restrict old,
                             __global int *restrict number, __global int *restrict name)
{
    const long first = (long)get_global_id(0) * BLOCK;
    int next = first < n ? before[first / BLOCK] : 0;
    FOR_BLOCK(v, n) {
        const int member = is_member(v, keep, label);
        number[v] = member ? next : -1;
        if (member)
            name[next++] = old ? old[v] : v;
    }
}
