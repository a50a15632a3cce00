"""Other libraries that do the same, for comparison in the same run; those that are installed.

Each table has names and makers: a maker takes the graph, makes the library's own form of it, and returns the
call to be timed. It raises ImportError where its library is not installed.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from clgraph.bench.harness import Absent, SelfTimed
from clgraph.device.program import kernel_folder
from clgraph.files import write

if TYPE_CHECKING:
    from clgraph.graph import Graph

Call = Callable[[], Any]
Search = Callable[[int], Any]  # from a source


def made(name: str, make: Callable[..., Any], *args: Any) -> Any:
    """Call a maker.

    Raises
    ------
    Absent
        Its library is not installed, or (CuPy) finds no GPU.
    """
    try:
        return make(*args)
    except ImportError as error:
        # a maker raises its own where a library would take too long
        message = (
            f"not installed ({error})" if isinstance(error, ModuleNotFoundError) else f"not run: {error}"
        )
        raise Absent(message) from error
    except Exception as error:
        if name == "cupy" and "cuda" in f"{type(error).__name__} {error}".lower():
            raise Absent(f"CuPy finds no GPU ({error})") from error
        raise


def wanted(names: Iterable[str], asked: str) -> list[str]:
    """The peers that ``all``, a list with commas between, or nothing selects."""
    if asked == "all":
        return list(names)
    return [name for name in names if name in asked.split(",")]


# --- graphs in other libraries' own forms ---


def scipy_matrix(graph: Graph, dtype: Any = np.int8) -> Any:
    """The arcs as a SciPy array of ones."""
    n = graph.num_vertices
    return sp.csr_array((np.ones(graph.num_arcs, dtype), graph.col_idx, graph.row_ptr), shape=(n, n))


def cupy_matrix(graph: Graph) -> Any:
    """The arcs as a CuPy matrix of ones, float32."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    n = graph.num_vertices
    ones = cupy.ones(graph.num_arcs, cupy.float32)
    return csr_matrix((ones, cupy.asarray(graph.col_idx), cupy.asarray(graph.row_ptr)), shape=(n, n))


def _ends(graph: Graph, arcs: bool) -> tuple[Any, Any, bool]:
    """Tails, heads, whether they are directed: an undirected edge once, or (`arcs`) as two arcs."""
    if arcs or graph.directed:
        return graph.tails, graph.col_idx, True
    once = graph.tails <= graph.col_idx
    return graph.tails[once], graph.col_idx[once], False


def networkit_graph(graph: Graph, *, arcs: bool = False) -> Any:
    """NetworKit's graph."""
    import networkit as nk

    tail, head, directed = _ends(graph, arcs)
    n = graph.num_vertices
    # from arrays: a loop over edges in Python would take minutes
    coo = sp.coo_matrix((np.ones(len(tail)), (tail, head)), shape=(n, n))
    return nk.GraphFromCoo(coo, n=n, directed=directed)


def igraph_graph(graph: Graph, *, arcs: bool = False) -> Any:
    """igraph's graph."""
    import igraph

    tail, head, directed = _ends(graph, arcs)
    return igraph.Graph(n=graph.num_vertices, edges=np.stack((tail, head), axis=1), directed=directed)


def networkx_graph(graph: Graph) -> Any:
    """NetworkX's graph of the arcs."""
    import networkx as nx

    if graph.num_arcs > 4_000_000:  # 3.2 million: 15 s to build, 18 s a query, 1.5 GB
        raise ImportError("more than 4 million arcs take it half a minute and more a query")
    # also vertices without arcs: ranks are compared vertex by vertex
    made = nx.DiGraph()
    made.add_nodes_from(range(graph.num_vertices))
    made.add_edges_from(zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True))
    return made


# --- GAPBS (Beamer, Asanovic, Patterson: arXiv:1508.03619), in the folder that GAPBS_DIR names ---
#
# Its programs read the graph from a file and measure themselves.


TRIALS = 5


def gapbs(program: str, graph: Graph) -> Callable[..., SelfTimed]:
    """Return a call that runs a program with further options, and returns the median of its trials.

    Raises
    ------
    ImportError
        GAPBS_DIR names no folder that has the program.
    """
    found = gapbs_program(program, os.environ.get("GAPBS_DIR", ""))
    folder = tempfile.TemporaryDirectory()
    write(graph, Path(folder.name, "graph.sg"))

    def run(*options: str) -> SelfTimed:
        file = str(Path(folder.name, "graph.sg"))
        return SelfTimed(statistics.median(gapbs_trials(found, file, "-n", str(TRIALS), *options)))

    return run


def gapbs_program(program: str, folder: str) -> str:
    """Return the path of a program; an ImportError if the folder does not have it."""
    found = shutil.which(program, path=folder)
    if found is None:
        raise ImportError(f"GAPBS_DIR names no folder with the program {program}")
    return found


def gapbs_trials(program: str, file: str, *options: str) -> list[float]:
    """Run a program on a serialised graph; return the seconds of each trial."""
    done = subprocess.run([program, "-f", file, *options], check=True, capture_output=True, text=True)
    return [float(seconds) for seconds in re.findall(r"^Trial Time:\s+(\S+)", done.stdout, re.M)]


# --- breadth-first search ---


def _bfs_scipy(graph: Graph) -> Search:
    from scipy.sparse.csgraph import breadth_first_order

    return partial(breadth_first_order, scipy_matrix(graph), directed=True, return_predecessors=True)


def _bfs_networkit(graph: Graph) -> Search:
    import networkit as nk

    made = networkit_graph(graph)

    def run(source: int) -> Any:
        search = nk.distance.BFS(made, source, True, False)
        search.run()
        return search

    return run


def _bfs_graphblas(graph: Graph) -> Search:
    import graphblas as gb

    n = graph.num_vertices
    adjacency = gb.io.from_scipy_sparse(graph.to_scipy().astype(bool))

    def run(source: int) -> Any:
        """Push by masked vector-matrix products (GraphBLAS changes direction by itself)."""
        parent = gb.Vector.from_coo([source], [source], size=n, dtype=int)
        frontier = parent.dup()
        while frontier.nvals:
            frontier(~parent.S, replace=True) << gb.semiring.min_firsti(frontier @ adjacency)
            parent(frontier.S) << frontier
        return parent

    return run


def _cupy(name: str, graph: Graph, **options: Any) -> Search:
    """A function of CuPy's csgraph."""
    import cupy
    import pylibcugraph  # noqa: F401 (CuPy's are cuGraph's)
    from cupyx.scipy.sparse import csgraph

    matrix = cupy_matrix(graph)

    def run(*source: int) -> Any:
        found = getattr(csgraph, name)(matrix, *source, **options)
        cupy.cuda.Device().synchronize()
        return found

    return run


def _bfs_gapbs(graph: Graph) -> Search:
    search = gapbs("bfs", graph)
    return lambda source: search("-r", str(source))


BFS: dict[str, Any] = {
    "scipy": _bfs_scipy,
    "networkit": _bfs_networkit,
    "igraph": lambda graph: igraph_graph(graph).bfs,
    "graphblas": _bfs_graphblas,
    "gapbs": _bfs_gapbs,
    "cupy": partial(_cupy, "breadth_first_order"),
}

# --- weak components ---


def _components_scipy(graph: Graph) -> Call:
    from scipy.sparse.csgraph import connected_components

    return partial(connected_components, scipy_matrix(graph), directed=graph.directed, connection="weak")


def _components_networkit(graph: Graph) -> Call:
    import networkit as nk

    made = networkit_graph(graph)
    if graph.directed:
        return lambda: nk.components.WeaklyConnectedComponents(made).run()
    return lambda: nk.components.ParallelConnectedComponents(made).run()


def _components_igraph(graph: Graph) -> Call:
    made = igraph_graph(graph)
    return lambda: made.connected_components(mode="weak").membership


COMPONENTS: dict[str, Any] = {
    "scipy": _components_scipy,
    "networkit": _components_networkit,
    "igraph": _components_igraph,
    "gapbs": partial(gapbs, "cc"),
    "cupy": lambda graph: _cupy("connected_components", graph, directed=graph.directed, connection="weak"),
}

# --- PageRank ---


DAMPING = 0.85


def product(graph: Graph) -> Callable[[], Any]:
    """SciPy's csr @ x in float32 over the reversed arcs, with which an iteration is compared."""
    matrix = scipy_matrix(graph).T.tocsr()
    x = np.random.default_rng(1).random(graph.num_vertices, dtype=np.float32)
    return lambda: matrix @ x


def cusparse_product(graph: Graph, repeat: int = 30) -> float:
    """Seconds of cuSPARSE's float32 CSR matrix-vector product, by CUDA events."""
    import cupy

    matrix = cupy_matrix(graph).T.tocsr()
    # the first products, which also allocate, are not timed
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


def _pagerank_power(graph: Graph, error: float, xp: Any, matrix: Any) -> Call:
    n, d = graph.num_vertices, DAMPING
    out = xp.asarray(np.diff(graph.row_ptr).astype(np.float64))
    dangling = out == 0
    inverse = xp.where(dangling, 0, 1 / xp.maximum(out, 1))

    def run() -> Any:
        x = xp.full(n, 1 / n)
        while True:
            before, x = x, (1 - d) / n + d * (matrix @ (x * inverse) + x[dangling].sum() / n)
            # the error of a contraction by d: at most d / (1 - d) times the last step
            if d / (1 - d) * float(xp.abs(x - before).sum()) <= error:
                return x

    return run


def _pagerank_scipy(graph: Graph, error: float) -> Call:
    return _pagerank_power(graph, error, np, scipy_matrix(graph, np.float64).T.tocsr())


def _pagerank_cupy(graph: Graph, error: float) -> Call:
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    return _pagerank_power(graph, error, cupy, csr_matrix(scipy_matrix(graph, np.float64).T.tocsr()))


def _pagerank_networkit(graph: Graph, error: float) -> Call:
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


def _pagerank_igraph(graph: Graph, error: float) -> Call:
    made = igraph_graph(graph, arcs=True)
    return lambda: np.array(made.pagerank(damping=DAMPING, implementation="prpack"))


def _pagerank_sknetwork(graph: Graph, error: float) -> Call:
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


def _pagerank_networkx(graph: Graph, error: float) -> Call:
    import networkx as nx

    made = networkx_graph(graph)
    tol = error * (1 - DAMPING) / DAMPING / graph.num_vertices
    return lambda: np.fromiter(nx.pagerank(made, DAMPING, max_iter=500, tol=tol).values(), float)


PAGERANK: dict[str, Any] = {
    "scipy": _pagerank_scipy,
    "networkit": _pagerank_networkit,
    "igraph": _pagerank_igraph,
    "scikit-network": _pagerank_sknetwork,
    "networkx": _pagerank_networkx,
    "cupy": _pagerank_cupy,
}


def thesis_kernels(graph: Graph, iterations: int) -> list[Call]:
    """Return a call of each of the thesis's two CUDA versions, Parallel I and II."""
    import cupy

    code = (kernel_folder() / "theses/pagerank.cu").read_text()
    module = cupy.RawModule(code=code, backend="nvcc")
    parallel_one, contribution, parallel_two = (
        module.get_function(name) for name in ("parallel_one", "parallel_two_contribution", "parallel_two")
    )
    n, d = graph.num_vertices, DAMPING
    reverse = scipy_matrix(graph).T.tocsr()
    row_ptr, source, degree = (
        cupy.asarray(a.astype(np.int32)) for a in (reverse.indptr, reverse.indices, np.diff(graph.row_ptr))
    )
    ranks = [cupy.full(n, 1 / n, cupy.float32) for _ in range(2)]
    base, factor, count = np.float32((1 - d) / n), np.float32(d), np.int32(n)

    grid, block = (-(-n // 256),), (256,)

    def one() -> None:
        parallel_one(grid, block, (count, row_ptr, source, degree, *ranks, base, factor))
        ranks.reverse()

    def two() -> None:
        rank, other = ranks
        contribution(grid, block, (count, degree, rank, other))
        parallel_two(grid, block, (count, row_ptr, source, other, rank, base, factor))

    def run(step: Call) -> None:
        for _ in range(iterations):
            step()
        cupy.cuda.Device().synchronize()

    return [partial(run, one), partial(run, two)]


# --- personalized PageRank, one source at a time ---


def _ppr_networkx(graph: Graph) -> Search:
    import networkx as nx

    made, n = networkx_graph(graph), graph.num_vertices
    uniform = dict.fromkeys(range(n), 1.0)

    def run(source: int) -> Any:
        ranks = nx.pagerank(made, personalization={source: 1}, dangling=uniform, tol=1e-6 / n, max_iter=1000)
        return np.fromiter(ranks.values(), np.float64, n)

    return run


def _ppr_igraph(graph: Graph) -> Search:
    made = igraph_graph(graph, arcs=True)
    # its dangling mass goes back to the source
    return lambda source: np.array(made.personalized_pagerank(reset_vertices=[source]))


def _ppr_sknetwork(graph: Graph) -> Search:
    from sknetwork.ranking import PageRank

    matrix = sp.csr_matrix(graph.to_scipy().astype(np.float64))  # it refuses SciPy's newer arrays
    return lambda source: PageRank(solver="piteration", n_iter=100, tol=1e-6).fit_predict(matrix, {source: 1})


PPR: dict[str, Any] = {"networkx": _ppr_networkx, "igraph": _ppr_igraph, "scikit-network": _ppr_sknetwork}
