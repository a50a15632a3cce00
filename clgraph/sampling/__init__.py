"""Reduction sampling on a device: `sample` and its result."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.copra import Copra, upload_csr
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.sampling import batched
from clgraph.sampling.afforest import LinkCompress
from clgraph.sampling.algorithm5 import ArrayFrontier
from clgraph.sampling.draw import ByDraw
from clgraph.sampling.exact import ExactRun
from clgraph.sampling.result import Sample, extract
from clgraph.sampling.select import ByPriority
from clgraph.sizes import target_size

if TYPE_CHECKING:
    from clgraph.device import Device

__all__ = ["METHODS", "Sample", "sample"]

# method -> what one step deletes
EXACT = ("drv", "dre")
METHODS = {
    "drv": "a vertex, uniform among the vertices left, goes with its edges",
    "dre": "an edge, uniform among the edges left, goes",
    "drve": "a vertex uniform, then an edge uniform among its edges left, goes",
}


def sample(
    graph: Graph,
    method: str = "drv",
    *,
    size: float | int | str,
    seed: int | None = None,
    device: str | Device | None = None,
    mode: Literal["auto", "batched", "exact"] = "auto",
    tolerance: float | None = None,
    components: Literal["afforest", "bfs"] | None = None,
    far_scan: bool | None = None,
    strict: bool = False,
    progress: batched.Progress | None = None,
) -> Sample:
    """Shrink a graph by deleting vertices or edges, always keeping the largest connected component.

    Works on the undirected view without self-loops; the sample of a directed graph keeps the original arcs.
    The same seed gives the same sample on every device.

    Parameters
    ----------
    graph : Graph
        Or a SciPy sparse array (taken as undirected).
    method : {"drv", "dre", "drve"}
        What one step deletes: a random vertex, a random edge, or a random edge of a random vertex.
    size : float, int or str
        ``0.3`` or ``"30%"``: a share of the input's vertices; ``5000``: a count. The sample has at most so
        many vertices: one deletion may cut off many.
    seed : int, optional
        0 .. 2**64 - 1; None draws one from the operating system and records it in the result.
    device : str or Device, optional
        As `clgraph.get_device` takes it.
    mode : {"auto", "batched", "exact"}
        "exact" (drv, dre) gives the sample of the definition's loop, one deletion and one largest component
        at a time, to the last vertex. "batched" deletes in batches that shrink; a batch that takes the
        sample below the target by more than `tolerance` is undone and halved. "auto" is exact where that
        exists.
    tolerance : float, optional
        Of batched mode, in vertices; default 0.001 of the target. 0 goes down to single deletions.
    components : {"afforest", "bfs"}
        How batched mode finds the largest component: linking and compressing (default), or the thesis's
        array-frontier search.
    far_scan : bool, optional
        Batched mode: find the far side of an edge by the thesis's plain scan (default on FPGAs) instead of a
        binary search.
    strict : bool
        A count larger than the graph is an error instead of the largest component.
    progress : callable, optional
        Called with (vertices that go for certain, vertices to go) as it goes.

    Returns
    -------
    Sample

    Raises
    ------
    InputError
        An unknown method, mode or size; an empty graph.
    DeviceError, CapacityError
        No such device, or too little memory on it.

    References
    ----------
    Krishnamurthy, Faloutsos, et al.: Sampling large Internet topologies for simulation purposes. Computer
    Networks 51(15), 2007. Batches and COPRA: Tariq, 2018.

    Examples
    --------
    >>> import clgraph
    >>> graph = clgraph.Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0])
    >>> s = clgraph.sample(graph, "drv", size="50%", seed=1)  # doctest: +SKIP
    """
    graph = _check_graph(graph)
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}: the known ones are {', '.join(METHODS)}")
    if mode not in ("auto", "batched", "exact"):
        raise InputError(f"unknown mode {mode!r}: use auto, exact or batched")
    if mode == "exact" and method not in EXACT:
        raise InputError(
            f"mode 'exact' exists for {' and '.join(EXACT)}: {method} runs batched (mode 'auto' or 'batched')"
        )
    if components not in (None, "afforest", "bfs"):
        raise InputError(f"unknown components {components!r}: use afforest or bfs")
    target = target_size(size, graph.num_vertices)
    if strict and target > graph.num_vertices:
        raise InputError(f"size {size} is larger than the graph ({graph.num_vertices} vertices)")
    slack = _slack(tolerance, target)
    seed = keyed.check_seed(seed)

    from clgraph.device import get_device

    seconds: dict[str, float] = {}
    clock = _Clock(seconds)
    dev = get_device(device)
    clock.lap("device")
    simple = graph.undirected.simple
    clock.lap("build")
    exact = mode == "exact" or (mode == "auto" and method in EXACT)
    unused = [
        name
        for name, value in (("tolerance", tolerance), ("components", components), ("far_scan", far_scan))
        if exact and value is not None
    ]
    if exact:
        left = _exact(dev, simple, method, seed, target, clock, progress)
    else:
        scan = dev.kind in ("fpga", "emulator") if far_scan is None else far_scan
        copra = Copra(dev, simple, far_scan=scan)
        left = _batched(copra, simple, method, seed, target, slack, components or "afforest", clock, progress)
    made, kept = extract(graph, left.vertices, left.arcs)
    notes = _notes(graph, target, left.iterations, made.num_vertices, unused)
    clock.lap("result")
    return Sample(
        made, made.ids, method, "exact" if exact else "batched", size, target, seed, dev.name,
        left.iterations, seconds, left.way, notes, graph, kept,
    )  # fmt: skip


@dataclass(frozen=True)
class _Left:
    """What a run leaves: live vertices, live arcs, and how it got there."""

    vertices: npt.NDArray[np.bool_]
    arcs: npt.NDArray[np.bool_]
    iterations: int
    way: str


def _exact(
    dev: Device,
    simple: Graph,
    method: str,
    seed: int,
    target: int,
    clock: _Clock,
    progress: batched.Progress | None,
) -> _Left:
    upload_csr(dev, simple)
    dev.finish()
    clock.lap("upload")
    run = ExactRun(dev, simple, seed, edges=method == "dre")
    clock.lap("compile")
    untouched = run.start() <= target
    run.shrink_to(target, progress)
    dev.finish()
    clock.lap("sample")
    vertices, arcs = run.download()
    clock.lap("download")
    return _Left(vertices, arcs, 0 if untouched else run.probes, "untouched" if untouched else run.way)


def _batched(
    copra: Copra,
    simple: Graph,
    method: str,
    seed: int,
    target: int,
    slack: Fraction,
    components: str,
    clock: _Clock,
    progress: batched.Progress | None,
) -> _Left:
    dev = copra.device
    dev.finish()
    clock.lap("upload")
    choice: batched.Choice = (
        ByDraw(copra, seed) if method == "drve" else ByPriority(copra, seed, edges=method == "dre")
    )
    finder = _finder(components, copra, simple)
    copra.compile()
    clock.lap("compile")
    copra.build()
    iterations = batched.run(
        copra, choice, finder, target=target, slack=slack, edges=method != "drv", progress=progress
    )
    dev.finish()
    clock.lap("sample")
    left = _Left(copra.live_vertices(), copra.live_arcs(), iterations, components)
    clock.lap("download")
    return left


class _Clock:
    """Seconds since the last lap, by phase."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds, self._last = seconds, perf_counter()

    def lap(self, phase: str) -> None:
        now = perf_counter()
        self._seconds[phase] = now - self._last
        self._last = now


def _check_graph(graph: Any) -> Graph:
    if not isinstance(graph, Graph):
        if not hasattr(graph, "tocsr"):
            raise InputError(f"a Graph or a SciPy sparse array is needed, not {type(graph).__name__}")
        graph = Graph.from_scipy(graph, directed=False)
    if graph.num_vertices == 0:
        raise InputError("the graph has no vertices: there is nothing to sample")
    return graph


def _slack(tolerance: float | None, target: int) -> Fraction:
    if tolerance is None:
        return Fraction(target, 1000)
    try:
        slack = Fraction(str(tolerance))
    except (ValueError, ZeroDivisionError):
        slack = Fraction(-1)
    if slack < 0:
        raise InputError(f"tolerance {tolerance!r}: give a number of vertices, 0 or more")
    return slack


def _finder(components: str, copra: Copra, simple: Graph) -> batched.Finder:
    return ArrayFrontier(copra, int(simple.degrees.argmax())) if components == "bfs" else LinkCompress(copra)


def _notes(graph: Graph, target: int, iterations: int, found: int, unused: list[str]) -> tuple[str, ...]:
    notes = [f"{name} is of batched mode and played no part (mode='batched' asks for it)" for name in unused]
    loops = graph.undirected.num_self_loops
    if loops:
        notes.append(f"{loops} self-loops play no part and are not in the sample")
    if iterations == 0:
        notes.append(
            f"the largest component has {found} of {graph.num_vertices} vertices, not more than the "
            f"target of {target}: it is returned untouched"
        )
    return tuple(notes)
