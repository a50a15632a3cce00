"""Graphs made from a seed, the same on every machine and device.

`clgraph.graph.models` says which edge each draw is; here the draws become a `Graph`, on the host by NumPy or
on a device (``cl/csr/generate.cl``, `clgraph.csr.build`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np

from clgraph.arguments import word
from clgraph.graph import Duplicates, Graph
from clgraph.graph.building import sorted_rows
from clgraph.graph.models import GUIDE_BITS, PowerLaw, RMat, rank_guide
from clgraph.progress import Tell, with_progress

if TYPE_CHECKING:
    from clgraph.device import Device

CHUNK = 1 << 16  # draws made at a time on the host: their words stay in the cache

Made = TypeVar("Made")


@with_progress("generating")
def powerlaw_graph(
    num_vertices: int,
    *,
    average_degree: float = 5.0,
    exponent: float = 2.71,
    seed: int | None = None,
    device: Device | str | None = None,
    progress: Any = None,
    report: dict[str, Any] | None = None,
) -> Graph:
    """An undirected graph whose degrees follow a power law (the model of Chung and Lu, 2002).

    ``round(num_vertices * average_degree / 2)`` edges are drawn, both ends independently with a probability
    in proportion to the expected degree ``(i + i0) ** (-1 / (exponent - 1))`` of rank i; i0 is to keep the
    largest one near ``sqrt(num_vertices * average_degree)``, where a simple graph can still have it. Its
    formula neglects i0 in the sum over all ranks, so that the largest one is above that at small exponents:
    with 10**5 vertices and average degree 5 it is 1.91 of it at exponent 2.1, 1.34 at 2.2, 1.16 at 2.3, 1.09
    at 2.4, 0.98 at 2.71, and 0.79 at 3. Loops are dropped and parallel edges merged (1.6 % of those edges at
    2.1, 0.2 % at 2.4, 0.06 % at 2.71), so the average degree comes out slightly lower. Ranks are scattered
    over the vertex numbers. About one vertex in twenty gets no edge at the default settings.

    Parameters
    ----------
    num_vertices : int
    average_degree : float
    exponent : float
        Of the degree distribution P(d) ~ d ** -exponent; above 2.
    seed : int, optional
        None draws one from the operating system.
    device : Device or str, optional
        Where the graph is made (as in `clgraph.get_device`); the arrays stay there for what comes next. None:
        by NumPy on the host. The graph is the same.
    progress : callable or bool, optional
        Called with (edges drawn, edges to draw); True shows a bar.
    report : dict, optional
        Filled with "seed", "device" (name, or "host") and "seconds": by phase "compile" (kernels, where they
        were not built yet), "draw", "rows", and "total".

    Returns
    -------
    Graph
        On vertices 0 .. num_vertices - 1.

    Raises
    ------
    InputError
        If a parameter is out of its range.
    CapacityError
        If the graph does not fit the device.

    Examples
    --------
    >>> from clgraph import powerlaw_graph
    >>> powerlaw_graph(1000, seed=1)
    <Graph: undirected, 1000 vertices, 2471 edges>
    """
    model = PowerLaw(num_vertices, average_degree, exponent, seed)
    return _make(model, "merge", device, progress, report)


@with_progress("generating")
def rmat_graph(
    scale: int,
    *,
    edge_factor: float = 16,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    seed: int | None = None,
    directed: bool = False,
    scramble: bool = True,
    duplicates: Duplicates = "merge",
    device: Device | str | None = None,
    progress: Any = None,
    report: dict[str, Any] | None = None,
) -> Graph:
    """An R-MAT graph (Chakrabarti, Zhan, Faloutsos, SDM 2004), by default with Graph500's parameters.

    ``round(edge_factor * 2**scale)`` edges are drawn: from the highest bit down, each picks one of the four
    quadrants of the adjacency matrix, with the same probabilities at every level (no noise). Loops are
    dropped, parallel edges merged.

    Parameters
    ----------
    scale : int
        Binary logarithm of the number of vertices, 1 to 30.
    edge_factor : float
        Edges to draw per vertex.
    a, b, c : float
        Probabilities of the upper left, upper right and lower left quadrant; the rest is the lower right's.
    seed, device, progress, report
        As in `powerlaw_graph`.
    directed : bool
        False (Graph500): an edge has arcs in both directions.
    scramble : bool
        Renumber the vertices by a bijection that the seed decides (as Graph500 does), so that a number says
        nothing about a degree. False keeps R-MAT's own numbers: small ones have many edges.
    duplicates : {"merge", "keep"}
        What becomes of parallel edges; how many were merged is not kept.

    Returns
    -------
    Graph
        On vertices 0 .. 2**scale - 1, those without edges (a third or more) among them.

    Raises
    ------
    InputError
        If a parameter is out of its range.
    CapacityError
        If the graph does not fit the device.

    Examples
    --------
    >>> from clgraph import rmat_graph
    >>> rmat_graph(10, seed=1)
    <Graph: undirected, 1024 vertices, 10500 edges>
    """
    word(duplicates, "duplicates", get_args(Duplicates))
    model = RMat(scale, edge_factor, (a, b, c), seed, directed, scramble)
    return _make(model, duplicates, device, progress, report)


def on_device(device: Device | str | None, make: Callable[[Device], Made]) -> Made:
    """What a function makes on a device that nobody else uses meanwhile."""
    from clgraph.device import get_device

    opened = get_device(device)
    with opened.alone():
        return make(opened)


def finish_graph(
    device: Device, n: int, tail: Any, head: Any, count: int, duplicates: Duplicates = "keep"
) -> Graph:
    """The undirected graph of edges on a device without their loops; by default they are all different."""
    from clgraph.csr.build import build_rows
    from clgraph.csr.upload import Parts, graph_of

    rows = build_rows(device, n, tail, head, count, mirror=True, duplicates=duplicates)
    device.finish()
    return graph_of(device, Parts(rows, directed=False, num_self_loops=0, is_multigraph=False))


def _make(
    model: PowerLaw | RMat,
    duplicates: Duplicates,
    device: Device | str | None,
    progress: Tell | None,
    report: dict[str, Any] | None,
) -> Graph:
    seconds: dict[str, float] = {}
    began = last = time.perf_counter()

    def lap(phase: str) -> None:
        nonlocal last
        now = time.perf_counter()
        seconds[phase], last = now - last, now
        seconds["total"] = now - began

    if device is None:
        name, graph = "host", _make_on_host(model, duplicates, progress, lap)
    else:
        from clgraph.device import get_device

        opened = get_device(device)
        with opened.alone():
            name, began = opened.name, time.perf_counter()
            last = began
            graph = _make_on_device(model, duplicates, opened, progress, lap)
    if report is not None:
        report.update(seed=model.seed, device=name, seconds=seconds)
    return graph


def _make_on_host(
    model: PowerLaw | RMat, duplicates: Duplicates, progress: Tell | None, lap: Callable[[str], None]
) -> Graph:
    count = model.count
    ends = np.empty((2, count), dtype=np.int32)
    for begin in range(0, count, CHUNK):
        end = min(begin + CHUNK, count)
        ends[0, begin:end], ends[1, begin:end] = model.draw(begin, end)
        if progress:
            progress(end, count)
    lap("draw")
    proper = ends[0] != ends[1]
    rows = sorted_rows(
        ends[0][proper], ends[1][proper], model.num_vertices, directed=model.directed, duplicates=duplicates
    )
    lap("rows")
    return Graph._from_arrays(
        replace(rows, multiplicity=None)
    )  # how often the model drew an edge means nothing


def model_args(device: Device, model: PowerLaw | RMat) -> dict[str, Any]:
    """What kernels that draw ask of a model, beside its seed."""
    if isinstance(model, PowerLaw):
        guide, thresholds, bounds = map(device.upload, rank_guide(model.bounds, model.thresholds))
        tables = {"guide": guide, "thresholds": thresholds, "bounds": bounds}
        return {"n": model.num_vertices, "stride": model.stride, **tables}
    limits = dict(zip("abc", model.thresholds, strict=True))
    keys = device.upload(model.scrambling)
    return {"scale": model.scale, **limits, "scramble": model.scramble, "keys": keys}


def _make_on_device(
    model: PowerLaw | RMat,
    duplicates: Duplicates,
    device: Device,
    progress: Tell | None,
    lap: Callable[[str], None],
) -> Graph:
    from clgraph.csr.build import build_rows, reserve_rows
    from clgraph.csr.upload import Parts, graph_of

    count, mirror = model.count, not model.directed
    program = device.program("csr/generate", ITEMS=device.tuning.items, GUIDE_SHIFT=32 - GUIDE_BITS)
    lap("compile")
    reserve_rows(device, model.num_vertices, count, mirror=mirror)  # before edges are drawn in vain
    ends = {name: device.output(count, np.int32) for name in ("tail", "head")}
    draw = program.generate_powerlaw if isinstance(model, PowerLaw) else program.generate_rmat
    passes = -(-count // device.tuning.items)
    draw(passes, count=count, seed=model.seed, **model_args(device, model), **ends)
    device.finish()
    lap("draw")
    if progress:
        progress(count, count)
    tail, head = ends["tail"], ends["head"]
    rows = build_rows(device, model.num_vertices, tail, head, count, mirror=mirror, duplicates=duplicates)
    del ends, tail, head
    device.finish()
    lap("rows")
    copies = False if duplicates == "merge" else None
    return graph_of(device, Parts(rows, directed=model.directed, num_self_loops=0, is_multigraph=copies))
