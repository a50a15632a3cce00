"""PageRank by other libraries, and the PageRank thesis's CUDA kernels, rewritten."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from clgraph.bench.peers.graphs import (
    cupy_matrix,
    igraph_graph,
    networkit_graph,
    networkx_graph,
    scipy_matrix,
)

if TYPE_CHECKING:
    from clgraph.graph import Graph

Solve = Callable[[], Any]
DAMPING = 0.85


def product(graph: Graph) -> Callable[[], Any]:
    """SciPy's csr @ x in float32 over the arcs turned round: what an iteration is held against."""
    matrix = scipy_matrix(graph).T.tocsr()
    x = np.random.default_rng(1).random(graph.num_vertices, dtype=np.float32)
    return lambda: matrix @ x


def cusparse_product(graph: Graph, repeat: int = 30) -> float:
    """Seconds of cuSPARSE's float32 CSR matrix-vector product, by CUDA events."""
    import cupy

    matrix = cupy_matrix(graph).T.tocsr()
    x = cupy.random.rand(graph.num_vertices).astype(cupy.float32)
    for _ in range(3):
        matrix @ x
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    for _ in range(repeat):
        matrix @ x
    end.record()
    end.synchronize()
    return float(cupy.cuda.get_elapsed_time(begin, end)) / repeat / 1e3


def _power(graph: Graph, error: float, xp: Any, matrix: Any) -> Solve:
    n, d = graph.num_vertices, DAMPING
    out = xp.asarray(np.diff(graph.row_ptr).astype(np.float64))
    dangling = out == 0
    inverse = xp.where(dangling, 0, 1 / xp.maximum(out, 1))

    def run() -> Any:
        x = xp.full(n, 1 / n)
        while True:
            before, x = x, (1 - d) / n + d * (matrix @ (x * inverse) + x[dangling].sum() / n)
            if d / (1 - d) * float(xp.abs(x - before).sum()) <= error:
                return x

    return run


def _scipy(graph: Graph, error: float) -> Solve:
    return _power(graph, error, np, scipy_matrix(graph, np.float64).T.tocsr())


def _cupy(graph: Graph, error: float) -> Solve:
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    return _power(graph, error, cupy, csr_matrix(scipy_matrix(graph, np.float64).T.tocsr()))


def _networkit(graph: Graph, error: float) -> Solve:
    import networkit as nk

    made = networkit_graph(graph, arcs=True)

    def run() -> Any:
        ranks = nk.centrality.PageRank(
            made,
            DAMPING,
            error * (1 - DAMPING) / DAMPING,
            distributeSinks=nk.centrality.SinkHandling.DistributeSinks,
        )
        ranks.norm = nk.centrality.Norm.L1_NORM
        ranks.run()
        return np.array(ranks.scores())

    return run


def _igraph(graph: Graph, error: float) -> Solve:
    made = igraph_graph(graph, arcs=True)
    return lambda: np.array(made.pagerank(damping=DAMPING, implementation="prpack"))


def _sknetwork(graph: Graph, error: float) -> Solve:
    from sknetwork.ranking import PageRank

    matrix = sp.csr_matrix(scipy_matrix(graph, np.float64))  # int8 sums of rows overflow in it

    def run(count: int) -> Any:
        # its other solvers end elsewhere (0.34 away on RMAT 10, version 0.33), or are in float32
        return PageRank(DAMPING, solver="RH", n_iter=count).fit_predict(matrix)

    # this one has no convergence test: the number of iterations is determined beforehand
    count, before = 5, run(5)
    while True:
        count += 5
        after = run(count)
        if np.abs(after - before).sum() <= error * (1 - DAMPING) / DAMPING:
            return lambda: run(count - 5)
        before = after


def _networkx(graph: Graph, error: float) -> Solve:
    import networkx as nx

    made = networkx_graph(graph)
    tol = error * (1 - DAMPING) / DAMPING / graph.num_vertices
    return lambda: np.fromiter(nx.pagerank(made, DAMPING, max_iter=500, tol=tol).values(), float)


MAKERS: dict[str, Any] = {
    "scipy": _scipy,
    "networkit": _networkit,
    "igraph": _igraph,
    "scikit-network": _sknetwork,
    "networkx": _networkx,
    "cupy": _cupy,
}


# Parallel I and II of the PageRank thesis as it runs them: one thread a vertex, the in-neighbours' ranks (I)
# or contributions (II) gathered, float sums, mass of dangling vertices dropped. Two faults fixed: vertices
# without out-arcs are not divided by, and as many groups are launched as there are vertices to fill.
CUDA = r"""
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
"""


def thesis_kernels(graph: Graph, iterations: int) -> Iterator[tuple[str, Callable[[], float]]]:
    """Name and call of the thesis's two CUDA versions; a call gives its seconds."""
    import cupy

    module = cupy.RawModule(code=CUDA, backend="nvcc")
    one, contribution, two = (
        module.get_function(name) for name in ("parallel_one", "parallel_two_contribution", "parallel_two")
    )
    n, d = graph.num_vertices, DAMPING
    reverse = scipy_matrix(graph).T.tocsr()
    row_ptr, source, degree = (
        cupy.asarray(a.astype(np.int32)) for a in (reverse.indptr, reverse.indices, np.diff(graph.row_ptr))
    )
    rank, other = (cupy.full(n, 1 / n, cupy.float32) for _ in range(2))
    grid, block = (-(-n // 256),), (256,)
    base, factor, count = np.float32((1 - d) / n), np.float32(d), np.int32(n)

    def run_one() -> float:
        nonlocal rank, other
        begun = time.perf_counter()
        for _ in range(iterations):
            one(grid, block, (count, row_ptr, source, degree, rank, other, base, factor))
            rank, other = other, rank
        cupy.cuda.Device().synchronize()
        return time.perf_counter() - begun

    def run_two() -> float:
        begun = time.perf_counter()
        for _ in range(iterations):
            contribution(grid, block, (count, degree, rank, other))
            two(grid, block, (count, row_ptr, source, other, rank, base, factor))
        cupy.cuda.Device().synchronize()
        return time.perf_counter() - begun

    yield "CUDA Parallel I", run_one
    yield "CUDA Parallel II", run_two
