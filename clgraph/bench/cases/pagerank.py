"""PageRank: an iteration of every variant, a solution to a given error, and the thesis's Table 6.2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.bench import peers as others
from clgraph.bench.harness import Absent, Case, Context, Figures, median, quantity, size, timed
from clgraph.theses.printed import PAGERANK, PAGERANK_ITERATIONS

if TYPE_CHECKING:
    from clgraph.graph import Graph

WHATS = ("iteration", "solve", "call", "table")
VARIANTS = ("auto", "serial", "pull", "contribution", "subgroup")
TABLE = f"{PAGERANK_ITERATIONS} iterations"
ERROR = 1e-8
# one work-item takes minutes on more arcs than that
SERIAL_ARCS = {"gpu": 500_000}
SERIAL_ARCS_ELSEWHERE = 30_000_000


def cases(
    graphs: Sequence[str],
    *,
    whats: Sequence[str] = WHATS,
    variants: Sequence[str] = VARIANTS,
    dtype: str = "float32",
    peers: str = "all",
    error: float = ERROR,
) -> list[Case]:
    """The cases of PageRank."""
    made: list[Case] = []
    for graph in graphs:
        if "iteration" in whats:
            if peers:
                made += [_product(graph), _gapbs(graph), _cusparse(graph)]
            made += [_iteration(graph, variant, dtype) for variant in variants]
        if "solve" in whats:
            made.append(_solve(graph, error))
            made += [_peer(graph, name, error) for name in others.wanted(others.PAGERANK, peers)]
        if "call" in whats:
            made += [_call(graph, arrays) for arrays in ("host", "device")]
    if "table" in whats:
        for name in PAGERANK:
            made += [_table(name, variant) for variant in variants]
            made += [_cuda(name, i) for i in range(2 if peers else 0)]
    return made


# --- an iteration --------------------------------------------------------------------------------------


def _iteration(name: str, variant: Any, dtype: str) -> Case:
    def run(context: Context) -> Figures:
        from clgraph.ranking import pagerank

        graph, device = context.graph(name, directed=True), context.device
        _skip_slow(variant, graph, device.kind)
        count = 5 if variant == "serial" else 50 if device.kind == "gpu" else 20

        def call(iterations: int) -> Any:
            return pagerank(graph, tol=0, max_iter=iterations, variant=variant, dtype=dtype, device=device)

        first = call(2)
        timing = timed(
            partial(call, count), context.repeat, keep=lambda r: {"iterate": r.seconds["iterate"] / count}
        )
        iterate = timing.phase("iterate")
        seconds = iterate["value"]
        values = {
            "iteration": iterate,
            "arcs_per_second": quantity(graph.num_arcs / seconds, "1/s"),
            **context.of_copy(_bytes(graph), seconds),
            "build": quantity(first.seconds["build"], "s"),
        }
        details = {**size(graph), "ran": first.variant, "iterations": count}
        energy = context.energy(partial(call, count), f"a call of {count} iterations")
        return Figures(values, details, energy)

    return Case("pagerank", name, "iteration", f"clgraph {variant}", run, True, {"dtype": dtype})


def _skip_slow(variant: str, graph: Graph, kind: str) -> None:
    most = SERIAL_ARCS.get(kind, SERIAL_ARCS_ELSEWHERE)
    if variant == "serial" and graph.num_arcs > most:
        raise Absent(f"one work-item takes minutes on {graph.num_arcs} arcs (tried up to {most} on a {kind})")


def _bytes(graph: Graph) -> int:
    """The least that an iteration moves: each index and each value once, each rank read and written."""
    return 4 * graph.num_arcs + graph.row_ptr.itemsize * graph.num_vertices + 20 * graph.num_vertices


def _product(name: str) -> Case:
    def run(context: Context) -> Figures:
        graph = context.graph(name, directed=True)
        work = others.product(graph)
        work()
        return Figures({"iteration": timed(work, max(context.repeat, 5)).quantity}, size(graph))

    return Case("pagerank", name, "iteration", "scipy csr @ x", run, False)


def _gapbs(name: str) -> Case:
    def run(context: Context) -> Figures:
        graph = context.graph(name, directed=True)
        iterate = others.made("gapbs", others.gapbs, "pr", graph)
        seconds = timed(partial(iterate, "-i", "20", "-t", "0"), context.repeat).seconds
        return Figures({"iteration": median(each / 20 for each in seconds)}, size(graph))

    return Case("pagerank", name, "iteration", "gapbs pr", run, False)


def _cusparse(name: str) -> Case:
    def run(context: Context) -> Figures:
        graph = context.graph(name, directed=True)
        seconds = others.made("cupy", others.cusparse_product, graph)
        return Figures({"iteration": quantity(seconds, "s")}, size(graph))

    return Case("pagerank", name, "iteration", "cuSPARSE csr @ x", run, False)


# --- a solution ----------------------------------------------------------------------------------------


def _tolerance(error: float) -> float:
    """The residual by which the L1 error bound is `error` (in float64, with room for its round-off)."""
    from clgraph.ranking.problem import round_off

    d = others.DAMPING
    return (error * (1 - d) - 2 * round_off("float64", 20_000)) / d


def _fresh(graph: Graph) -> Graph:
    """The same graph, of which nothing is kept yet."""
    from clgraph.graph import Graph
    from clgraph.graph.arrays import Arrays

    return Graph._from_arrays(Arrays(graph.row_ptr, graph.col_idx, directed=graph.directed))


def _solve(name: str, error: float) -> Case:
    def run(context: Context) -> Figures:
        from clgraph.ranking import pagerank

        graph, device = context.graph(name, directed=True), context.device

        def call(of: Graph) -> Any:
            return pagerank(of, tol=_tolerance(error), max_iter=1000, dtype="float64", device=device)

        call(_fresh(graph))  # kernels are built
        firsts, agains, found = [], [], None
        for _ in range(context.repeat):
            new = _fresh(graph)
            firsts += timed(partial(call, new), 1).seconds
            timing = timed(partial(call, new), 1, keep=lambda result: result)
            agains += timing.seconds
            found = timing.kept[0]
        assert found is not None
        if found.error_bound > error:
            raise RuntimeError(f"the error bound is {found.error_bound:.3g}, above {error:.3g}")
        energy = context.energy(partial(call, new), "a call on a graph used before")
        details = {**size(graph), "iterations": found.iterations, "ran": found.variant, "error": error}
        return Figures({"first": median(firsts), "call": median(agains)}, details, energy)

    return Case("pagerank", name, "solve", "clgraph", run, True, {"error": error, "dtype": "float64"})


def _call(name: str, arrays: Any) -> Case:
    def run(context: Context) -> Figures:
        from clgraph.ranking import pagerank

        graph, device = context.graph(name, directed=True), context.device

        def call(of: Graph) -> Any:
            found = pagerank(of, max_iter=1000, arrays=arrays, device=device)
            device.finish()
            return found

        call(graph)  # kernels are built
        new = _fresh(graph)
        first = timed(partial(call, new), 1)
        again = timed(partial(call, new), context.repeat, keep=lambda found: found.seconds)
        found = call(new)
        best = timed(lambda: found.top(10), context.repeat)
        values = {
            "first": first.quantity,
            "call": again.quantity,
            **{phase: again.phase(phase) for phase in ("build", "upload", "iterate", "download")},
            "top": best.quantity,
        }
        details = {**size(graph), "iterations": found.iterations, "ran": found.variant}
        return Figures(values, details)

    return Case("pagerank", name, "call", f"clgraph, arrays={arrays}", run, True, {"dtype": "float32"})


def _peer(name: str, who: str, error: float) -> Case:
    def run(context: Context) -> Figures:
        from clgraph.ranking import pagerank

        graph = context.graph(name, directed=True)
        solve = others.made(who, others.PAGERANK[who], graph, error)
        timing = timed(solve, context.repeat, limit=5, keep=lambda ranks: ranks)
        ranks = timing.kept[-1]
        ranks = np.asarray(ranks.get() if hasattr(ranks, "get") else ranks)
        ours = context.once(
            "ranks",
            lambda: (
                pagerank(
                    graph, tol=_tolerance(error), max_iter=1000, dtype="float64", device=context.device
                ).ranks
            ),
        )
        away = float(np.abs(ranks / ranks.sum() - ours).sum())
        return Figures({"call": timing.quantity, "away": quantity(away, "")}, size(graph))

    return Case("pagerank", name, "solve", who, run, False, {"error": error, "dtype": "float64"})


# --- the thesis's table --------------------------------------------------------------------------------


def data_set(context: Context, name: str) -> Path:
    """A file of the folder of data sets.

    Raises
    ------
    Absent
        There is no such file, or no folder is named.
    """
    if not context.data:
        raise Absent(f"{name} is needed: name the folder that it lies in by --data (or CLGRAPH_TEST_DATA)")
    path = Path(context.data, name)
    if not path.is_file():
        raise Absent(f"{path} is not there")
    return path


def _read(context: Context, name: str) -> Graph:
    return context.graph(str(data_set(context, name)), directed=True)


def _table(name: str, variant: Any) -> Case:
    def run(context: Context) -> Figures:
        from clgraph.ranking import pagerank

        graph, device = _read(context, name), context.device
        if variant == "serial" and device.kind == "gpu":
            raise Absent("one work-item of a GPU takes minutes: the table's serial column is a CPU's")

        def call(iterations: int = PAGERANK_ITERATIONS) -> Any:
            return pagerank(
                graph, tol=0, max_iter=iterations, variant=variant, dangling="drop", device=device
            )

        call(2)
        timing = timed(call, context.repeat, keep=lambda r: {"iterate": r.seconds["iterate"]}, limit=5)
        energy = context.energy(call, f"a call of {PAGERANK_ITERATIONS} iterations")
        return Figures({"iterate": timing.phase("iterate")}, size(graph), energy)

    return Case("pagerank", name, TABLE, f"clgraph {variant}", run)


def _cuda(name: str, number: int) -> Case:
    def run(context: Context) -> Figures:
        graph = _read(context, name)
        kernels = others.made("cupy", lambda: list(others.thesis_kernels(graph, PAGERANK_ITERATIONS)))
        work = kernels[number][1]
        work()  # not counted: the first launch loads the module
        return Figures({"iterate": median(timed(work, context.repeat, keep=lambda s: s).kept)}, size(graph))

    return Case("pagerank", name, TABLE, f"CUDA Parallel {'I' * (number + 1)}", run, False)
