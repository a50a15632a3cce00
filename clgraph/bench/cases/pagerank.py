"""PageRank: an iteration of every variant, a solution to a given error, and the thesis's Table 6.2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from clgraph.bench import peers as others
from clgraph.bench.harness import Absent, Case, Context, Figures, median, on_digraph, quantity, size, timed
from clgraph.graph import Graph
from clgraph.graph.arrays import Arrays
from clgraph.ranking import pagerank
from clgraph.ranking.problem import round_off
from clgraph.theses.printed import PAGERANK, PAGERANK_ITERATIONS

VARIANTS = ("auto", "serial", "pull", "contribution", "subgroup")
TABLE = f"{PAGERANK_ITERATIONS} iterations"
ERROR = 1e-8
# one work-item takes minutes on more arcs than that
SERIAL_ARCS = {"gpu": 500_000}
SERIAL_ARCS_ELSEWHERE = 30_000_000


def cases(graphs: Sequence[str], peers: str) -> Iterator[Case]:
    """Yield the cases of PageRank."""

    def case(graph: str, what: str, who: str, run: Any, *args: Any, **options: Any) -> Case:
        run = on_digraph(run, graph, *args)
        return Case("pagerank", graph, what, who, run, who.startswith("clgraph"), options)

    exact: dict[str, Any] = {"error": ERROR, "dtype": "float64"}
    for graph in graphs:
        for who, run in PRODUCTS.items() if peers else ():
            yield case(graph, "iteration", who, run)
        for variant in VARIANTS:
            yield case(graph, "iteration", f"clgraph {variant}", _iteration, variant, dtype="float32")
        yield case(graph, "solve", "clgraph", _solve, **exact)
        for who in others.wanted(others.PAGERANK, peers):
            yield case(graph, "solve", who, _peer, who, **exact)
        for arrays in ("host", "device"):
            yield case(graph, "call", f"clgraph, arrays={arrays}", _call, arrays, dtype="float32")
    for graph in PAGERANK:
        for variant in VARIANTS:
            yield case(graph, TABLE, f"clgraph {variant}", _table, variant)
        for number in range(2 if peers else 0):
            yield case(graph, TABLE, f"CUDA Parallel {'I' * (number + 1)}", _cuda, number)


# --- an iteration --------------------------------------------------------------------------------------


def _iteration(graph: Graph, variant: Any, context: Context) -> Figures:
    device = context.device
    most = SERIAL_ARCS.get(device.kind, SERIAL_ARCS_ELSEWHERE)
    if variant == "serial" and graph.num_arcs > most:
        raise Absent(
            f"one work-item takes minutes on {graph.num_arcs} arcs (tried up to {most} on a {device.kind})"
        )
    # enough iterations that launching and ending them does not count
    count = 5 if variant == "serial" else 50 if device.kind == "gpu" else 20

    def call(iterations: int) -> Any:
        return pagerank(graph, tol=0, max_iter=iterations, variant=variant, device=device)

    first, work = call(2), partial(call, count)
    timing = timed(work, context.repeat, keep=lambda r: {"iterate": r.seconds["iterate"] / count})
    iterate = timing.phase("iterate")
    seconds = iterate["value"]
    # the least that an iteration moves: each index and each value once, each rank read and written
    moved = 4 * graph.num_arcs + graph.row_ptr.itemsize * graph.num_vertices + 20 * graph.num_vertices
    values = {
        "iteration": iterate,
        "arcs_per_second": quantity(graph.num_arcs / seconds, "1/s"),
        **context.of_copy(moved, seconds),
        "build": quantity(first.seconds["build"], "s"),
    }
    details = {**size(graph), "ran": first.variant, "iterations": count}
    return Figures(values, details, context.energy(work, f"a call of {count} iterations"))


def _product(graph: Graph, context: Context) -> Figures:
    work = others.product(graph)
    work()
    return Figures({"iteration": timed(work, max(context.repeat, 5)).quantity}, size(graph))


def _gapbs(graph: Graph, context: Context) -> Figures:
    iterate = others.made("gapbs", others.gapbs, "pr", graph)
    seconds = timed(partial(iterate, "-i", "20", "-t", "0"), context.repeat).seconds
    return Figures({"iteration": median(each / 20 for each in seconds)}, size(graph))


def _cusparse(graph: Graph, context: Context) -> Figures:
    seconds = others.made("cupy", others.cusparse_product, graph)
    return Figures({"iteration": quantity(seconds, "s")}, size(graph))


PRODUCTS = {"scipy csr @ x": _product, "gapbs pr": _gapbs, "cuSPARSE csr @ x": _cusparse}


# --- a solution ----------------------------------------------------------------------------------------


def _solution(graph: Graph, device: Any) -> Any:
    """Return scores whose L1 error bound is `ERROR` (in float64, with room for its round-off)."""
    d = others.DAMPING
    tol = (ERROR * (1 - d) - 2 * round_off("float64", 20_000)) / d
    return pagerank(graph, tol=tol, max_iter=1000, dtype="float64", device=device)


def _fresh(graph: Graph) -> Graph:
    """A copy of the graph, of which nothing is cached yet."""
    return Graph._from_arrays(Arrays(graph.row_ptr, graph.col_idx, directed=graph.directed))


def _solve(graph: Graph, context: Context) -> Figures:
    device = context.device
    _solution(_fresh(graph), device)  # kernels are built
    firsts, agains, found = [], [], None
    # first calls need graphs that nothing is cached of: each measurement has its own copy
    for _ in range(context.repeat):
        call = partial(_solution, _fresh(graph), device)
        firsts += timed(call, 1).seconds
        timing = timed(call, 1, keep=lambda result: result)
        agains += timing.seconds
        found = timing.results[0]
    assert found is not None
    if found.error_bound > ERROR:
        raise RuntimeError(f"the error bound is {found.error_bound:.3g}, above {ERROR:.3g}")
    details = {**size(graph), "iterations": found.iterations, "ran": found.variant, "error": ERROR}
    energy = context.energy(call, "a call on a graph used before")
    return Figures({"first": median(firsts), "call": median(agains)}, details, energy)


def _call(graph: Graph, arrays: Any, context: Context) -> Figures:
    device = context.device

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
    return Figures(values, {**size(graph), "iterations": found.iterations, "ran": found.variant})


def _peer(graph: Graph, who: str, context: Context) -> Figures:
    solve = others.made(who, others.PAGERANK[who], graph, ERROR)
    timing = timed(solve, context.repeat, limit=5, keep=lambda ranks: ranks)
    ranks = timing.results[-1]
    ranks = np.asarray(ranks.get() if hasattr(ranks, "get") else ranks)
    ours = context.once("ranks", lambda: _solution(graph, context.device).scores)
    away = float(np.abs(ranks / ranks.sum() - ours).sum())
    return Figures({"call": timing.quantity, "away": quantity(away, "")}, size(graph))


# --- the thesis's table --------------------------------------------------------------------------------


def _table(graph: Graph, variant: Any, context: Context) -> Figures:
    device = context.device
    if variant == "serial" and device.kind == "gpu":
        raise Absent("one work-item of a GPU takes minutes: the table's serial column is a CPU's")

    def call(iterations: int = PAGERANK_ITERATIONS) -> Any:
        return pagerank(graph, tol=0, max_iter=iterations, variant=variant, dangling="drop", device=device)

    call(2)
    timing = timed(call, context.repeat, keep=lambda r: {"iterate": r.seconds["iterate"]}, limit=5)
    energy = context.energy(call, f"a call of {PAGERANK_ITERATIONS} iterations")
    return Figures({"iterate": timing.phase("iterate")}, size(graph), energy)


def _cuda(graph: Graph, number: int, context: Context) -> Figures:
    kernels = others.made("cupy", others.thesis_kernels, graph, PAGERANK_ITERATIONS)
    work = kernels[number]
    work()  # not counted: the first launch loads the module
    return Figures({"iterate": median(timed(work, context.repeat).seconds)}, size(graph))
