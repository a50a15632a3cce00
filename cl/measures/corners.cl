// measures/corners.cl: which pairs (degree, triangles) occur among the vertices of each of several graphs, and how
// often: everything about local clustering follows from them. Vertices in no triangle, which are most, are left out.
//
// The others are listed, their list is sorted by triangles, then by degree, then by graph (csr/sort.cl, stable), and
// the beginning of each run of equals is marked.
//
// row_ptr   OFFSET[n+1]     degrees
// count     ulong[n]        triangles that each vertex is a corner of
// begin     int[graphs+1]   where each graph's vertices begin
// most      uint[2]         the largest low word of `count` and the largest high word; zero before
// list      int[k]          the vertices in some triangle, ascending
// order     int[k]          positions in `list`, sorted; NULL: 0, 1, ...
//
// launch    padded range, ITEMS vertices or entries per work-item

#define TRIANGLES 0
#define TRIANGLES_HIGH 1
#define DEGREE 2
#define GRAPH 3

__kernel void corners_flags(const int n, __global const ulong *restrict count, __global uchar *restrict flag,
                            volatile __global uint *most)
{
    FOR_ITEMS(v, n) {
        const uint low = (uint)count[v], high = (uint)(count[v] >> 32);
        flag[v] = count[v] != 0;
        if (low > SHARED_LOAD(&most[0]))   // a stale value is only smaller: then the atomic is superfluous
            atomic_max(&most[0], low);
        if (high > SHARED_LOAD(&most[1]))
            atomic_max(&most[1], high);
    }
}

// place: flags before each vertex.
__kernel void corners_list(const int n, __global const uchar *restrict flag, __global const int *restrict place,
                           __global int *restrict list)
{
    FOR_ITEMS(v, n)
        if (flag[v]) list[place[v]] = v;
}

static inline int graph_of(const int v, const int graphs, __global const int *restrict begin)
{
    int low = 0, high = graphs - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (begin[middle] <= v)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// What the list is sorted by next.
__kernel void corners_words(const int k, const int which, const int graphs, __global const int *restrict begin,
                            __global const OFFSET *restrict row_ptr, __global const ulong *restrict count,
                            __global const int *restrict list, __global const int *restrict place,
                            __global uint *restrict word)
{
    FOR_ITEMS(i, k) {
        const int v = list[place ? place[i] : i];
        if (which == TRIANGLES)
            word[i] = (uint)count[v];
        else if (which == TRIANGLES_HIGH)
            word[i] = (uint)(count[v] >> 32);
        else if (which == DEGREE)
            word[i] = (uint)(row_ptr[v + 1] - row_ptr[v]);
        else
            word[i] = (uint)graph_of(v, graphs, begin);
    }
}

#define AT(i) list[order ? order[i] : (i)]

// Which entries differ from the one before them.
__kernel void corners_change(const int k, const int graphs, __global const int *restrict begin,
                             __global const OFFSET *restrict row_ptr, __global const ulong *restrict count,
                             __global const int *restrict list, __global const int *restrict order,
                             __global uchar *restrict flag)
{
    FOR_ITEMS(i, k) {
        const int v = AT(i), u = i ? AT(i - 1) : v;
        flag[i] = i == 0 || count[v] != count[u] || row_ptr[v + 1] - row_ptr[v] != row_ptr[u + 1] - row_ptr[u]
                  || (graphs > 1 && graph_of(v, graphs, begin) != graph_of(u, graphs, begin));
    }
}

// One entry of each run of equals: its position, vertex, degree and triangles. place: flags before each entry.
__kernel void corners_take(const int k, __global const OFFSET *restrict row_ptr, __global const ulong *restrict count,
                           __global const int *restrict list, __global const int *restrict order,
                           __global const uchar *restrict flag, __global const int *restrict place,
                           __global int *restrict position, __global int *restrict vertex,
                           __global int *restrict degree, __global ulong *restrict triangles)
{
    FOR_ITEMS(i, k)
        if (flag[i]) {
            const int v = AT(i), at = place[i];
            position[at] = i;
            vertex[at] = v;
            degree[at] = (int)(row_ptr[v + 1] - row_ptr[v]);
            triangles[at] = count[v];
        }
}
