"""The GAP Benchmark Suite (S. Beamer, K. Asanovic, D. Patterson, arXiv:1508.03619).

The suite says how many trials a kernel has and from which sources, what its parameters are, and that every
output is verified. A trial is a call on a graph that is on the device already, results on the host.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from clgraph import keyed
from clgraph.bench import peers
from clgraph.bench.harness import Case, Context, Figures, median, quantity, size
from clgraph.bench.tables import Column, Table, value
from clgraph.centrality.betweenness import dependencies
from clgraph.components import connected_components
from clgraph.csr.generate import rmat_graph
from clgraph.errors import ClgraphError, InputError
from clgraph.files import write
from clgraph.files.dispatch import load
from clgraph.graph import Graph
from clgraph.graph.arrays import Arrays, in_parallel, tails_between
from clgraph.measures.triangle_count import triangles
from clgraph.ranking import pagerank
from clgraph.reference import verify_bfs, verify_components
from clgraph.reference.weighted import verify_shortest_paths
from clgraph.run import need_doubles
from clgraph.system import ahead, cores
from clgraph.traversal import bfs
from clgraph.traversal.paths import shortest_paths

if TYPE_CHECKING:
    from clgraph.bench.store import Record
    from clgraph.device import Device
    from clgraph.graph import Duplicates

Floats = npt.NDArray[np.float64]
Roots = npt.NDArray[np.int64]
DAMPING, TOLERANCE = 0.85, 1e-4
SEED = 27491095  # the suite's
HEAVIEST = 255  # weights that the suite draws are whole numbers from 1 to this
LONG = 1 << 20  # arcs that a thread looks through at a time


# --- the kernels, and what verifies them ---


class Kernel(NamedTuple):
    """A kernel of the suite.

    Attributes
    ----------
    trials : int
    roots : int
        Vertices that a trial starts from; 0 if the kernel has none.
    run : callable
        Takes graph, roots and device; returns a result.
    verify : callable
        Takes context, graph, roots and result; raises if it is wrong.
    options : str
        Of GAPBS's program of the same name.
    weighted : bool
        Whether the graph it takes has weights.
    """

    trials: int
    roots: int
    run: Callable[[Graph, Roots, Device], Any]
    verify: Callable[[Context, Graph, Roots, Any], None]
    options: str = ""
    weighted: bool = False


def _bfs(graph: Graph, roots: Roots, device: Device) -> Any:
    return bfs(graph, graph.ids[roots[0]], device=device)


def _check_bfs(context: Context, graph: Graph, roots: Roots, found: Any) -> None:
    if found.sources.tolist() != roots.tolist():
        raise ClgraphError(f"the search began at {found.sources.tolist()}, not at {roots.tolist()}")
    verify_bfs(graph, found)


def _sssp(graph: Graph, roots: Roots, device: Device) -> Any:
    # as in the suite, distances alone
    return shortest_paths(graph, graph.ids[roots[0]], predecessors=False, device=device)


def _check_sssp(context: Context, graph: Graph, roots: Roots, found: Any) -> None:
    """Check that every distance is the least that the arcs which enter the vertex make of their tails'.

    Where weights are positive, only the right distances have this property: from a vertex at a finite
    distance the arc that gives it leads back to a nearer one, and so on to the root, which makes it the
    length of a path; and no arc makes a shorter one. One pass over the arcs, whatever the distances are.
    """
    if found.sources.tolist() != roots.tolist():
        raise ClgraphError(f"the search began at {found.sources.tolist()}, not at {roots.tolist()}")
    assert graph.weights is not None
    if not context.once("positive", lambda: is_whole(graph)):
        # steps may add nothing: the nearer vertex has to be looked for
        return verify_shortest_paths(graph, found)
    entering = graph.reverse
    row_ptr, tail, weight = entering.row_ptr, entering.col_idx, entering.weights
    assert weight is not None
    distance = np.asarray(found.distance, np.float64)
    if distance.shape != (graph.num_vertices,) or distance[roots[0]] != 0:
        raise ClgraphError(f"the root is at {distance[roots[0]]}")

    def wrong(begin: int, end: int) -> int | None:
        """The first of some vertices whose distance is wrong."""
        first, last = int(row_ptr[begin]), int(row_ptr[end])
        least = np.full(end - begin, np.inf)
        busy = np.flatnonzero(np.diff(row_ptr[begin : end + 1]))
        if len(busy):
            through = distance[tail[first:last]]
            through += weight[first:last]
            least[busy] = np.minimum.reduceat(through, row_ptr[begin + busy] - first)
        if begin <= roots[0] < end:
            least[roots[0] - begin] = 0
        bad = np.flatnonzero(~(least == distance[begin:end]))
        return begin + int(bad[0]) if len(bad) else None

    # rows of a million arcs and more would gain nothing from a smaller chunk
    chunk = max(1, LONG * graph.num_vertices // max(1, graph.num_arcs))
    for v in in_parallel(wrong, graph.num_vertices, chunk):
        if v is not None:
            raise ClgraphError(
                f"vertex {graph.ids[v]} is at {distance[v]:g}, which is not the least that its arcs make it"
            )
    return None


def is_whole(graph: Graph) -> bool:
    """True if weights are positive whole numbers, whose sums float64 holds exactly."""
    weights = graph.weights
    assert weights is not None

    def whole(begin: int, end: int) -> bool:
        each = weights[begin:end]
        most = 2**53 / max(1, graph.num_vertices)
        return bool(np.all((each >= 1) & (each <= most) & (each == np.floor(each))))

    return all(in_parallel(whole, graph.num_arcs, LONG))


def _pr(graph: Graph, roots: Roots, device: Device) -> Floats:
    # as in the suite, the scores of vertices that no arc leaves go nowhere
    found = pagerank(
        graph,
        damping=DAMPING,
        tol=TOLERANCE,
        max_iter=1000,
        dangling="drop",
        weight=False,
        dtype="float32",
        device=device,
    )
    return np.asarray(found.scores, np.float64)


def _check_pr(context: Context, graph: Graph, roots: Roots, scores: Floats) -> None:
    """Check scores as GAPBS does: another iteration changes them by less than the tolerance (L1)."""
    matrix = context.once("in arcs", lambda: peers.scipy_matrix(graph, np.float64).T.tocsr())
    out = np.diff(graph.row_ptr)
    given = np.divide(scores, out, out=np.zeros(len(scores)), where=out > 0)
    further = (1 - DAMPING) / len(scores) + DAMPING * (matrix @ given)
    error = float(np.abs(further - scores).sum())
    if not error < TOLERANCE:
        raise ClgraphError(f"another iteration changes the scores by {error:.3g}, not below {TOLERANCE}")


def _cc(graph: Graph, roots: Roots, device: Device) -> Any:
    return connected_components(graph, device=device)


def _check_cc(context: Context, graph: Graph, roots: Roots, found: Any) -> None:
    verify_components(graph, found)


def _bc(graph: Graph, roots: Roots, device: Device) -> Floats:
    need_doubles(device, "betweenness centrality")
    with device.alone():
        total = dependencies(device, graph, roots.astype(np.int32))
    return total / total.max() if total.any() else total  # the suite scales the highest to 1


def _check_bc(context: Context, graph: Graph, roots: Roots, found: Floats) -> None:
    """Compare with Brandes's algorithm, level by level in SciPy."""
    matrix = context.once("arcs", lambda: peers.scipy_matrix(graph, np.float64))
    # SciPy lets threads run beside each other; each of them copies up to the whole matrix
    found_by = ahead(partial(_brandes, matrix), ((root,) for root in roots.tolist()), threads=min(2, cores()))
    want = sum(found_by, np.zeros(graph.num_vertices))
    want = want / want.max() if want.any() else want
    wrong = np.flatnonzero(~(np.abs(found - want) <= 1e-6))
    if len(wrong):
        v = int(wrong[0])
        raise ClgraphError(f"vertex {graph.ids[v]} has {found[v]!r}, the reference {want[v]!r}")


def _brandes(matrix: Any, root: int) -> Floats:
    """Return how much each vertex is on the shortest paths from one (Brandes, 2001)."""
    n = matrix.shape[0]
    paths, depth = np.zeros(n), np.full(n, -1)
    paths[root], depth[root] = 1, 0
    levels = [np.array([root])]
    while len(levels[-1]):
        arriving = matrix[levels[-1]].T @ paths[levels[-1]]
        new = np.flatnonzero((arriving > 0) & (depth < 0))
        paths[new], depth[new] = arriving[new], len(levels)
        levels.append(new)
    dependency = np.zeros(n)
    for above, below in zip(levels[-2::-1], levels[:0:-1], strict=True):
        share = np.zeros(n)
        share[below] = (1 + dependency[below]) / paths[below]
        dependency[above] = paths[above] * (matrix[above] @ share)
    dependency[root] = 0
    return dependency


def _tc(graph: Graph, roots: Roots, device: Device) -> int:
    return int(triangles(graph, device).sum()) // 3


def _check_tc(context: Context, graph: Graph, roots: Roots, found: int) -> None:
    """Compare with the sum of a masked sparse product, which is computed once for a graph."""
    want = context.once("triangles", lambda: _count_triangles(graph))
    if found != want:
        raise ClgraphError(f"{found} triangles, SciPy finds {want}")


def _count_triangles(graph: Graph) -> int:
    n = graph.num_vertices
    matrix = peers.scipy_matrix(graph, np.int64)
    matrix = (matrix + matrix.T).tocoo()
    degree = np.bincount(matrix.coords[0], minlength=n)
    place = np.empty(n, np.int64)
    place[np.argsort(degree, kind="stable")] = np.arange(n)
    tail, head = place[matrix.coords[0]], place[matrix.coords[1]]
    up = tail < head  # to the vertex of more neighbours, once for each edge
    later = sp.csr_array((np.ones(int(up.sum()), np.int64), (tail[up], head[up])), shape=(n, n))
    later.data[:] = 1  # of two arcs
    # a product of few rows at a time, whose entries fit into memory
    work = np.r_[0, np.cumsum(later @ np.diff(later.indptr))]
    most = max(1_000_000, 20_000_000 // cores())

    def count(row: int, end: int) -> int:
        rows = later[row:end]
        return int((rows @ later).multiply(rows).sum())

    def blocks() -> Iterator[tuple[int, int]]:
        row = 0
        while row < n:
            end = max(row + 1, int(np.searchsorted(work, work[row] + most, "right")) - 1)
            yield row, end
            row = end

    return sum(ahead(count, blocks()))


# as GAPBS's own `make bench` runs them
KERNELS = {
    "bfs": Kernel(64, 1, _bfs, _check_bfs),
    "sssp": Kernel(64, 1, _sssp, _check_sssp, weighted=True),
    "pr": Kernel(16, 0, _pr, _check_pr, f"-i 1000 -t {TOLERANCE}"),
    "cc": Kernel(16, 0, _cc, _check_cc),
    "bc": Kernel(16, 4, _bc, _check_bc, "-i 4"),
    "tc": Kernel(3, 0, _tc, _check_tc),
}


def pick_roots(graph: Graph, count: int) -> Roots:
    """Draw vertices that arcs leave, as the suite's SourcePicker does: one may come twice."""
    able = np.flatnonzero(graph.degrees)
    if not len(able):
        raise ClgraphError("the graph has no edges to search along")
    return np.random.Generator(np.random.Philox(SEED)).choice(able, count)


# --- graphs ---


# quadrants of equal probability: both ends of an edge are uniform
GENERATED: dict[str, dict[str, Any]] = {"kron": {}, "urand": {"a": 0.25, "b": 0.25, "c": 0.25}}
# what notes on a file say of weights that were left out
WEIGHTS = ("edge weights", "arc weights", "values of entries", "weights ")


def _made(name: str, device: Device, duplicates: Duplicates) -> Graph | None:
    """Make kronS or urandS by the laws of the suite's generators: undirected, 16 edges per vertex."""
    kind = name.rstrip("0123456789")
    if kind not in GENERATED or kind == name:
        return None
    scale = int(name.removeprefix(kind))
    return rmat_graph(scale, **GENERATED[kind], seed=SEED, duplicates=duplicates, device=device)


def _load(name: str, device: Device) -> Graph:
    """Make a graph, or read a file; without loops, and each edge once, as the suite takes them."""
    graph = _made(name, device, "merge")
    if graph is not None:
        return graph
    graph = load(name, device=device).graph.without_self_loops
    return Graph._from_arrays(replace(graph._arrays, weights=None, multiplicity=None))


def _load_weighted(name: str, device: Device) -> Graph:
    """The same graph with weights: the file's, else drawn as GAPBS's builder does."""
    graph = _made(name, device, "keep")
    if graph is None:
        notes = load(name, device=device).notes
        has = name.removesuffix(".gz").endswith(".wel") or any(note.startswith(WEIGHTS) for note in notes)
        graph = load(name, weights=has, duplicates="keep", device=device).graph.without_self_loops
    return Graph._from_arrays(lightest(graph._arrays))


def lightest(arrays: Arrays) -> Arrays:
    """Keep the lightest of parallel arcs, as GAPBS's builder does.

    Where there are no weights, each edge of the list, copies as well, gets a whole number from 1 to 255, all
    of the same probability. It is keyed by the ends and by which of the copies it is, so that both arcs of
    an edge have the same.
    """
    row_ptr, head, weights = arrays.row_ptr, arrays.col_idx, arrays.weights
    arcs = len(head)
    first = np.ones(arcs, np.bool_)
    np.not_equal(head[1:], head[:-1], out=first[1:])
    first[row_ptr[:-1][np.diff(row_ptr) > 0]] = True  # of its row
    begins = np.flatnonzero(first)
    if weights is None:
        copy = np.zeros(arcs, np.int32)
        again = np.flatnonzero(~first)
        copy[again] = again - begins[np.searchsorted(begins, again) - 1]
        drawn = np.empty(arcs)

        def draw(begin: int, end: int) -> None:
            u, v = tails_between(row_ptr, begin, end), head[begin:end]
            if not arrays.directed:
                u, v = np.minimum(u, v), np.maximum(u, v)
            number = keyed.edge_priority(SEED, u, v, copy[begin:end])
            drawn[begin:end] = 1 + ((number >> np.uint64(32)) * np.uint64(HEAVIEST) >> np.uint64(32))

        for _ in in_parallel(draw, arcs, 1 << 17):  # as much as fits in a cache
            pass
        weights = drawn
    if len(begins) == arcs:
        return replace(arrays, weights=weights)
    before = np.zeros(arcs + 1, row_ptr.dtype)
    np.cumsum(first, out=before[1:])
    return Arrays(
        before[row_ptr], head[begins], np.minimum.reduceat(weights, begins), None, arrays.ids, arrays.directed
    )


# --- cases ---


def peer_folders(given: Iterable[str]) -> dict[str, str]:
    """Return the folders of programs of other suites, from ``NAME=FOLDER``.

    Raises
    ------
    InputError
        The name is not gapbs, or there is no such folder.
    """
    folders = {}
    for text in given:
        name, _, folder = text.partition("=")
        if name != "gapbs":
            raise InputError(f"--peer {text}: only gapbs=FOLDER is known")
        if not os.path.isdir(folder):
            raise InputError(f"--peer {text}: there is no such folder")
        folders[name] = folder
    return folders


def cases(
    graphs: Sequence[str],
    kernels: Collection[str] = (),
    trials: int | None = None,
    folders: dict[str, str] | None = None,
) -> list[Case]:
    """Return a case for each graph and kernel, and one for each peer.

    Parameters
    ----------
    graphs : sequence of str
        Files, or kronS and urandS of scale S.
    kernels : collection of str
        Names of `KERNELS`; all, if it is empty.
    trials : int, optional
        By default the suite's.
    folders : dict of str to str
        As of `peer_folders`.

    Raises
    ------
    InputError
        A kernel is unknown.
    """
    for name in kernels:
        if name not in KERNELS:
            raise InputError(f"--kernel {name}: the kernels are {', '.join(KERNELS)}")
    return list(
        _cases(graphs, [name for name in KERNELS if not kernels or name in kernels], trials, folders or {})
    )


def _cases(
    graphs: Sequence[str], names: Iterable[str], trials: int | None, folders: dict[str, str]
) -> Iterator[Case]:
    names = list(names)
    for graph in graphs:
        for name in names:
            count = trials or KERNELS[name].trials
            options = {"trials": count}
            run = partial(_measure, graph, name, count)
            yield Case("gap", graph, name, "clgraph", run, True, options)
            for who, folder in folders.items():
                run = partial(_measure_gapbs, graph, name, count, folder)
                yield Case("gap", graph, name, who, run, False, options)


def _graph(file: str, name: str, context: Context) -> Graph:
    """The graph that a kernel takes."""
    graph: Graph = context.made(file, partial(_load, file, context.device))
    if KERNELS[name].weighted:
        graph = context.once("weighted", partial(_load_weighted, file, context.device))
    return graph


def _measure(file: str, name: str, trials: int, context: Context) -> Figures:
    device, kernel = context.device, KERNELS[name]
    graph = _graph(file, name, context)
    roots = np.empty((trials, 0), np.int64)
    if kernel.roots:
        roots = pick_roots(graph, trials * kernel.roots).reshape(trials, -1)
    kernel.run(graph, roots[0], device)  # builds kernels, and brings the graph to the device
    seconds = []
    for trial, chosen in enumerate(roots):
        begun = perf_counter()
        found = kernel.run(graph, chosen, device)
        seconds.append(perf_counter() - begun)
        try:
            kernel.verify(context, graph, chosen, found)
        except (AssertionError, ClgraphError) as error:
            raise ClgraphError(f"trial {trial} is wrong: {error}") from error
    return _figures(seconds, {**size(graph), "verified": trials, "directed": graph.directed})


def _measure_gapbs(file: str, name: str, trials: int, folder: str, context: Context) -> Figures:
    program = peers.made("gapbs", peers.gapbs_program, name, folder)
    graph, kernel = _graph(file, name, context), KERNELS[name]
    serialised = context.once("files for gapbs", tempfile.TemporaryDirectory)
    path = Path(serialised.name, "graph.wsg" if kernel.weighted else "graph.sg")
    if not path.exists():
        write(graph, path)
    # triangles are counted in undirected graphs
    options = [*kernel.options.split(), *(["-s"] if name == "tc" and graph.directed else [])]
    if name == "sssp":
        # as in its `make bench`: the only graph of another delta is the road network, of large weights
        options += ["-d", "50000" if Path(file).name.startswith("road") else "2"]
    return _figures(peers.gapbs_trials(program, str(path), "-n", str(trials), *options), size(graph))


def _figures(seconds: list[float], details: dict[str, Any]) -> Figures:
    mean = quantity(float(np.mean(seconds)), "s")
    return Figures({"trial": median(seconds), "mean": mean}, {**details, "trials": seconds})


def table(records: Sequence[Record]) -> Table:
    """Return the table of the suite: a row for each kernel, a column for each graph and program."""
    columns = [Column("kernel", "kernel")]
    rows: dict[str, dict[str, Any]] = {}
    for record in records:
        graph, who, name = record["graph"], record["who"], record["what"]
        key, row = f"{graph} {who}", rows.setdefault(name, {"kernel": name.upper()})
        if key not in [column.key for column in columns]:
            columns.append(Column(key, f"{Path(graph).name}: {who}", "s", ".4g"))
        done = record["status"] == "done"
        row[key] = (value(record, "trial"), value(record, "mean")) if done else record["status"]
    note = "Seconds of a trial, median / mean over the trials. Every result of clgraph is verified."
    return Table("gap", "GAP Benchmark Suite", columns, list(rows.values()), [note])
