// measures/triangle_count.cl: how many triangles each vertex is in, by the forward algorithm (Schank, Wagner: Finding,
// Counting and Listing all Triangles in Large Graphs, WEA 2005).
//
// Every edge is directed from its end of smaller degree (of smaller index, if they are equal) to the other. A triangle
// then has one lowest corner u with arcs to both others, v and w, one of which has an arc to the other: it is found
// once, when the lists of u and v are intersected for the arc u -> v. No list is longer than the square root of twice
// the number of edges, so hubs cost no more than other vertices.
//
// The core is the vertices of degree `least` or more, a few thousand at most: most triangles of skewed graphs have two
// or three corners there. They are numbered in order, and a matrix of bits says which are neighbours. For an arc u -> v
// into the core no lists are intersected. If u is in the core, too, the two rows of the matrix are, which finds a triangle
// of the core once for each of its edges; else the bits of u's list are looked up in v's row, which finds a triangle from
// both of its corners in the core. So everything is counted twice, and halved in the end.
//
// row_ptr, col_idx   the graph: undirected, no loops, no parallel edges; rows ascend
// up_ptr, up_idx     the directed arcs, a CSR again; rows ascend. Row u: arcs to heads that are not in the core; row n + u:
//                    to those in it, by their numbers. Without a core `rows` is n, else 2n
// place              int[n + 1]   vertices of the core before each vertex
// matrix             uint[]     a row of `words` for each vertex of the core, a multiple of 8
// count              ulong[n + size of the core]   twice the triangles at each vertex, and those at vertices of the core
//                    that were found by their numbers; zero before
//
// launch     padded range, one work-item per RUN arcs (csr/arcs.h)
// tunables   RUN; SKEW (lists.h); CORE: vertices of the core at most

#include "csr/arcs.h"
#include "lists.h"
#include "wide.h"

#ifndef CORE
#define CORE 8192
#endif

// Vertices by degree: eight bins for each power of two. Degrees below `least`, 8 or more, are not counted.
__kernel void triangles_degrees(const int n, const int least, __global const OFFSET *restrict row_ptr,
                                volatile __global int *bins)
{
    FOR_ITEMS(v, n) {
        const int degree = (int)(row_ptr[v + 1] - row_ptr[v]), power = 31 - (int)clz(degree);
        if (degree >= least)
            atomic_inc(&bins[8 * power + (degree >> (power - 3)) - 8]);
    }
}

__kernel void triangles_core(const int n, const int least, __global const OFFSET *restrict row_ptr,
                             __global uchar *restrict in_core)
{
    FOR_ITEMS(v, n)
        in_core[v] = row_ptr[v + 1] - row_ptr[v] >= least;
}

// 0: the arc goes down, 1: up to a vertex that is not in the core, 2: up to one that is.
static inline int goes_up(const int u, const int v, const int least, __global const OFFSET *restrict row_ptr)
{
    const OFFSET at_u = row_ptr[u + 1] - row_ptr[u], at_v = row_ptr[v + 1] - row_ptr[v];
    return at_u < at_v || (at_u == at_v && u < v) ? 1 + (at_v >= least) : 0;
}

// Directed arcs in each run, and in each row: first the arcs that do not end in the core, then the others.
__kernel void triangles_turn_count(const int n, const int rows, const long arcs, const int least, const int runs,
                                   __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                   __global int *restrict in_run, volatile __global int *in_row)
{
    int u = -1, low = 0, high = 0, low_all = 0, high_all = 0;
    FOR_RUN(p, arcs) {
        const int row = row_after(p, u, n, row_ptr);
        if (row != u) {
            if (low)
                atomic_add(&in_row[u], low);   // a row may span several runs
            if (high)
                atomic_add(&in_row[n + u], high);
            low = high = 0;
            u = row;
        }
        const int up = goes_up(u, col_idx[p], least, row_ptr);
        low += up == 1;
        high += up == 2;
        low_all += up == 1;
        high_all += up == 2;
    }
    if (low)
        atomic_add(&in_row[u], low);
    if (high)
        atomic_add(&in_row[n + u], high);
    const long run = get_global_id(0);
    if (run < runs) {
        in_run[run] = low_all;
        if (rows > n)
            in_run[runs + run] = high_all;
    }
}

// before: directed arcs in the runs before each run. The matrix is zero before.
__kernel void triangles_turn(const int n, const int rows, const long arcs, const int least, const int runs,
                             __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                             __global const OFFSET *restrict before, __global const int *restrict place,
                             const int words, __global int *restrict up_idx, volatile __global uint *matrix)
{
    int u = -1;
    const long run = get_global_id(0);
    OFFSET low = run < runs ? before[run] : 0, high = run < runs && rows > n ? before[runs + run] : 0;
    FOR_RUN(p, arcs) {
        u = row_after(p, u, n, row_ptr);
        const int v = col_idx[p], up = goes_up(u, v, least, row_ptr);
        if (up == 1)
            up_idx[low++] = v;
        if (up == 2) {
            const int i = place[u], j = place[v];
            up_idx[high++] = j;
            if (i < place[u + 1]) {
                atomic_or(&matrix[(long)i * words + j / 32], 1u << j % 32);
                atomic_or(&matrix[(long)j * words + i / 32], 1u << i % 32);
            }
        }
    }
}

// Size of the intersection of two lists, i..i_end the shorter; each vertex in it gets a triangle.
static inline uint meet_in(OFFSET i, const OFFSET i_end, OFFSET j, const OFFSET j_end,
                           __global const int *up_idx, volatile __global ulong *count)
{
    uint met = 0;
    const int search = (j_end - j) / SKEW > i_end - i;
    while (i < i_end && j < j_end) {
        const int a = up_idx[i];
        if (search) {
            j = search_from(j, j_end, a, up_idx);
            if (j == j_end)
                break;
        }
        const int b = up_idx[j];
        if (a == b) {
            add_wide(&count[a], 2);
            met++;
        }
        i += a <= b;
        j += b <= a;
    }
    return met;
}

// The same for the rows u and v.
static inline uint meet(const int u, const int v, __global const OFFSET *up_ptr,
                        __global const int *up_idx, volatile __global ulong *count)
{
    const OFFSET i = up_ptr[u], i_end = up_ptr[u + 1], j = up_ptr[v], j_end = up_ptr[v + 1];
    return i_end - i < j_end - j ? meet_in(i, i_end, j, j_end, up_idx, count)
                                 : meet_in(j, j_end, i, i_end, up_idx, count);
}

#ifndef KIND_GPU
// Add up what was found with the vertices of u's list of the core, and unmark them.
static inline void take(const OFFSET begin, const OFFSET end, __global const int *up_idx, ushort *marks,
                        volatile __global ulong *count)
{
    for (OFFSET i = begin; i < end; i++) {
        const int w = up_idx[i];
        if (marks[w] > 1)
            add_wide(&count[w], 2 * (marks[w] - 1u));
        marks[w] = 0;
    }
}
#endif

// Triangles whose second corner is not in the core: the lists of u and v intersected for each arc u -> v. A CPU,
// whose caches hold the marks, does not merge their lists of the core: it looks up all of v's.
__kernel void triangles_lists(const int n, const int rows, __global const OFFSET *restrict up_ptr,
                              __global const int *restrict up_idx, volatile __global ulong *count)
{
    int u = -1;
    uint at_u = 0;   // below 2^32: RUN arcs times the longest list, 65536, times 2
#ifndef KIND_GPU
    ushort marks[CORE];   // 0, or for vertices of the core in u's list 1 and the triangles found, RUN at most
    for (int w = 0; w < CORE; w++)
        marks[w] = 0;
#endif
    FOR_RUN(p, up_ptr[n]) {
        const int row = row_after(p, u, n, up_ptr);
        if (row != u) {
            if (at_u)
                add_wide(&count[u], at_u);
            at_u = 0;
#ifndef KIND_GPU
            if (rows > n) {
                if (u >= 0)
                    take(up_ptr[n + u], up_ptr[n + u + 1], up_idx, marks, count + n);
                for (OFFSET i = up_ptr[n + row]; i < up_ptr[n + row + 1]; i++)
                    marks[up_idx[i]] = 1;
            }
#endif
            u = row;
        }
        const int v = up_idx[p];
        uint met = meet(u, v, up_ptr, up_idx, count);
#ifdef KIND_GPU
        if (rows > n)
            met += meet(n + u, n + v, up_ptr, up_idx, count + n);
#else
        if (rows > n && up_ptr[n + u] < up_ptr[n + u + 1])
            for (OFFSET i = up_ptr[n + v]; i < up_ptr[n + v + 1]; i++) {
                const int w = up_idx[i], hit = marks[w] > 0;
                marks[w] += hit;
                met += hit;
            }
#endif
        if (met)
            add_wide(&count[v], 2 * met);
        at_u += 2 * met;
    }
    if (at_u)
        add_wide(&count[u], at_u);
#ifndef KIND_GPU
    if (rows > n && u >= 0)
        take(up_ptr[n + u], up_ptr[n + u + 1], up_idx, marks, count + n);
#endif
}

// The others: for each arc u -> v into the core.
__kernel void triangles_bits(const int n, const int words, __global const OFFSET *restrict up_ptr,
                             __global const int *restrict up_idx, __global const int *restrict place,
                             __global const uint *restrict matrix, volatile __global ulong *count)
{
    const OFFSET begin = up_ptr[n];
    int u = -1;
    uint at_u = 0;
    FOR_RUN(p, up_ptr[2 * n] - begin) {
        const int row = row_after(begin + p, u, 2 * n, up_ptr);
        if (row != u) {
            if (at_u)
                add_wide(&count[u - n], at_u);
            at_u = 0;
            u = row;
        }
        const int v = up_idx[begin + p], i = place[u - n], has_row = i < place[u - n + 1];
        uint met = 0;
        if (has_row)   // bits that both rows have
            for (int k = 0; k < words; k++)
                met += popcount(matrix[(long)i * words + k] & matrix[(long)v * words + k]);
        else           // neighbours of v in u's list
            for (OFFSET at = up_ptr[u]; at < up_ptr[u + 1]; at++) {
                const int w = up_idx[at];
#ifdef KIND_GPU   // neighbouring work-items have the same w, and their v in one row of the matrix
                met += matrix[(long)w * words + v / 32] >> v % 32 & 1;
#else
                met += matrix[(long)v * words + w / 32] >> w % 32 & 1;
#endif
            }
        if (met)
            add_wide(&count[n + v], has_row ? met : 2 * met);
        at_u += met;
    }
    if (at_u)
        add_wide(&count[u - n], at_u);
}

__kernel void triangles_halve(const int n, const int rows, __global const int *restrict place,
                              __global ulong *restrict count)
{
    FOR_ITEMS(v, n)
        count[v] = (count[v] + (rows > n && place[v] < place[v + 1] ? count[n + place[v]] : 0)) / 2;
}
