"""Reduction sampling on a device: `sample` and its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.sampling.contract import extract_contracted
from clgraph.sampling.methods import EXACT, METHODS, Options, check_options, make_run, upload
from clgraph.sampling.result import Left, Progress, Sample, extract
from clgraph.sizes import target_size

if TYPE_CHECKING:
    from clgraph.device import Device

__all__ = ["EXACT", "METHODS", "Sample", "sample"]

Size = float | int | str


class _Options(TypedDict, total=False):
    """What does not change the type of `sample`'s result."""

    seed: int | None
    device: str | Device | None
    mode: Literal["auto", "batched", "exact"]
    tolerance: float | None
    components: Literal["afforest", "bfs"] | None
    far_scan: bool | None
    connection: Literal["weak", "strong"]
    weight: float | str | None
    start: Any
    strict: bool
    progress: Progress | None


# one size and one seed: a Sample; several of either: a list; what may be None: either
@overload
def sample(
    graph: Graph,
    method: str = ...,
    *,
    size: Size,
    sizes: None = ...,
    seeds: None = ...,
    **options: Unpack[_Options],
) -> Sample: ...
@overload
def sample(
    graph: Graph,
    method: str = ...,
    *,
    size: None = ...,
    sizes: Sequence[Size],
    seeds: int | None = ...,
    **options: Unpack[_Options],
) -> list[Sample]: ...
@overload
def sample(
    graph: Graph, method: str = ..., *, size: Size, sizes: None = ..., seeds: int, **options: Unpack[_Options]
) -> list[Sample]: ...
@overload
def sample(
    graph: Graph,
    method: str = ...,
    *,
    size: Size | None = ...,
    sizes: Sequence[Size] | None = ...,
    seeds: int | None = ...,
    **options: Unpack[_Options],
) -> Sample | list[Sample]: ...
def sample(
    graph: Graph,
    method: str = "drv",
    *,
    size: Size | None = None,
    sizes: Sequence[Size] | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    device: str | Device | None = None,
    mode: Literal["auto", "batched", "exact"] = "auto",
    tolerance: float | None = None,
    components: Literal["afforest", "bfs"] | None = None,
    far_scan: bool | None = None,
    connection: Literal["weak", "strong"] = "weak",
    weight: float | str | None = None,
    start: Any = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> Sample | list[Sample]:
    """Shrink a graph by deleting vertices or edges, always keeping the largest connected component.

    Works on the undirected view without self-loops; the sample of a directed graph keeps the original arcs.
    The same seed gives the same sample on every device.

    Parameters
    ----------
    graph : Graph
        Or a SciPy sparse array (taken as undirected).
    method : {"drv", "dre", "drve", "dhyb", "cre", "crve", "ebfs", "edfs"}
        What one step deletes: a random vertex, a random edge, a random edge of a random vertex, or one of
        the two by chance; what it contracts: a random edge, or a random edge of a random vertex; or what is
        explored from a random vertex on: breadth-first or depth-first, with all edges among the vertices
        reached.
    size : float, int or str
        ``0.3`` or ``"30%"``: a share of the input's vertices; ``5000``: a count. The sample has at most so
        many vertices: one deletion may cut off many. (Contraction and exploration end at exactly so many.)
    sizes : sequence of sizes, instead of `size`
        Several samples of one run, each within the larger ones.
    seed : int, optional
        0 .. 2**64 - 1; None draws one from the operating system and records it in the result.
    seeds : int, optional
        So many runs, with seeds `seed`, `seed` + 1, ...
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
    connection : {"weak", "strong"}
        Which component is kept: of a directed graph "strong" keeps the largest strongly connected one (drv,
        dre, drve, dhyb, batched); of an undirected graph both mean the same.
    weight : float or str, optional
        Of dhyb: the probability, 0 to 1, that a step deletes a random vertex's edge (drve) and not an edge
        (dre); default 0.8. Taken as the exact number that its decimals say.
    start : vertex id, optional
        Of ebfs and edfs: where to begin (default: a vertex drawn by the seed).
    strict : bool
        A count larger than the graph is an error instead of the largest component.
    progress : callable, optional
        Called with (vertices that go for certain, vertices to go) as it goes.

    Returns
    -------
    Sample, or list of Sample
        A list if `sizes` or `seeds` is given: run after run, in each the sizes in the order given.

    Raises
    ------
    InputError
        An unknown method, mode or size; an empty graph; options that exclude each other.
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
    graph = check_graph(graph)
    options = check_options(
        graph,
        method,
        mode=mode,
        tolerance=tolerance,
        components=components,
        far_scan=far_scan,
        connection=connection,
        weight=weight,
        start=start,
    )
    wanted = _targets(graph, size, sizes, strict)
    first = keyed.check_seed(seed)
    runs = _check_seeds(first, seeds)

    from clgraph.device import get_device

    clock = _Clock()
    dev = get_device(device)
    clock.lap("device")
    graph.undirected.simple  # noqa: B018
    clock.lap("build")
    upload(dev, graph)
    clock.lap("upload")
    made = []
    for i in range(runs):
        made += _samples_of_run(graph, dev, options, first + i, wanted, clock, progress)
    return made if sizes is not None or seeds is not None else made[0]


def _samples_of_run(
    graph: Graph,
    device: Device,
    options: Options,
    seed: int,
    wanted: list[tuple[Size, int]],
    clock: _Clock,
    progress: Progress | None,
) -> list[Sample]:
    """One run: a sample for each (size, target), in the order given."""
    how = device.watch()
    run = make_run(device, graph, options, seed)
    clock.lap("compile")
    whole = run.start()
    made: dict[int, Sample] = {}
    for size, target in sorted(wanted, key=lambda pair: -pair[1]):
        if target in made:
            continue
        run.shrink_to(target, progress)
        device.finish()
        clock.lap("sample")
        left = run.download()
        clock.lap("download")
        smaller, kept = _extract(graph, left)
        untouched = whole <= target
        notes = (*options.idle(), *_notes(graph, target, untouched, smaller.num_vertices))
        clock.lap("result")
        made[target] = Sample(
            smaller,
            smaller.ids,
            options.method,
            options.mode,
            size,
            target,
            seed,
            device.name,
            0 if untouched else run.iterations,
            clock.seconds(),
            "untouched" if untouched else run.way,
            notes,
            graph,
            kept,
            left.group,
            **how(),
        )
    return [replace(made[target], size=size) for size, target in wanted]


class _Clock:
    """Seconds by phase; a phase that comes again replaces its figure."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, phase: str) -> None:
        now = perf_counter()
        self._seconds[phase] = now - self._last
        self._last = now

    def seconds(self) -> dict[str, float]:
        return dict(self._seconds)


def check_graph(graph: Any) -> Graph:
    """A graph with vertices, made of a SciPy sparse array if need be."""
    made = as_graph(graph)
    if made.num_vertices == 0:
        raise InputError("the graph has no vertices: there is nothing to sample")
    return made


def _targets(
    graph: Graph, size: Size | None, sizes: Sequence[Size] | None, strict: bool
) -> list[tuple[Size, int]]:
    """(size as asked for, n*) of every sample."""
    if (size is None) == (sizes is None):
        raise InputError("give either size or sizes: how many vertices the sample shall have at most")
    if isinstance(sizes, str):
        raise InputError(f"sizes is {sizes!r}: give a list, such as ['70%', '50%'] (size takes a single one)")
    asked = [size] if sizes is None else list(sizes)
    if not asked:
        raise InputError("sizes is empty: name at least one")
    wanted = []
    for each in asked:
        target = target_size(each, graph.num_vertices)  # type: ignore[arg-type]
        if strict and target > graph.num_vertices:
            raise InputError(f"size {each} is larger than the graph ({graph.num_vertices} vertices)")
        wanted.append((each, target))
    return wanted  # type: ignore[return-value]


def _check_seeds(first: int, seeds: int | None) -> int:
    if seeds is None:
        return 1
    if isinstance(seeds, bool) or not isinstance(seeds, (int, np.integer)) or seeds < 1:
        raise InputError(f"seeds is {seeds!r}: give a count of runs, 1 or more")
    if first + seeds > 2**64:
        raise InputError(f"seed {first} with {seeds} runs: the last seed would be above 2**64 - 1")
    return int(seeds)


def _extract(graph: Graph, left: Left) -> tuple[Graph, npt.NDArray[np.bool_]]:
    if left.group is not None:
        return extract_contracted(graph, left)
    return extract(graph, left.vertices, left.arcs)


def _notes(graph: Graph, target: int, untouched: bool, found: int) -> list[str]:
    notes = []
    loops = graph.undirected.num_self_loops
    if loops:
        notes.append(f"{loops} self-loops play no part and are not in the sample")
    if untouched:
        notes.append(
            f"the largest component has {found} of {graph.num_vertices} vertices, not more than the "
            f"target of {target}: it is returned untouched"
        )
    return notes
