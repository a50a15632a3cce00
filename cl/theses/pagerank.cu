// pagerank.cu: Parallel I and II of the PageRank thesis as it runs them, in CUDA, for `clgraph bench` (CuPy builds it).
//
// One thread a vertex, the in-neighbours' ranks (I) or contributions (II) gathered, float sums, mass of dangling
// vertices dropped. Two faults fixed: vertices without out-arcs are not divided by, and as many groups are
// launched as there are vertices to fill.

extern "C" __global__ void parallel_one(int n, const int* row_ptr, const int* source, const int* degree,
                                        const float* rank, float* next, float base, float d)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        float sum = 0;
        for (int e = row_ptr[v]; e < row_ptr[v + 1]; e++) sum += rank[source[e]] / degree[source[e]];
        next[v] = base + d * sum;
    }
}
extern "C" __global__ void parallel_two_contribution(int n, const int* degree, const float* rank, float* out)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) out[v] = degree[v] ? rank[v] / degree[v] : 0.0f;
}
extern "C" __global__ void parallel_two(int n, const int* row_ptr, const int* source,
                                        const float* contribution, float* rank, float base, float d)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        float sum = 0;
        for (int e = row_ptr[v]; e < row_ptr[v + 1]; e++) sum += contribution[source[e]];
        rank[v] = base + d * sum;
    }
}
