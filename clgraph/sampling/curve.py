"""Reduction curves: vertices and edges left after each deletion; and the order of the deletions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import hints, shown, target_size, whole
from clgraph.csr.upload import upload_csr
from clgraph.drawing import check_format, plus_minus, t_interval, written
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.methods import EXACT, EXPLORING, plain_method
from clgraph.progress import with_progress
from clgraph.results import RunsOn, Shown
from clgraph.run import dataset_of, run_on, serial_device
from clgraph.sampling.merge_tree import whole_tree
from clgraph.sampling.request import check_names, check_request
from clgraph.sampling.runs import make_run

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.batched import BatchedRun
    from clgraph.sampling.contract import Contraction

PART = 1000  # steps of a bar for each of several curves, whatever their lengths
COUNTED = ("deletions", "vertices", "edges", "average_degree")


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


@dataclass(frozen=True, repr=False)
class ReductionCurve(RunsOn):
    """Vertices and edges left of a graph after each number of deletions.

    Attributes
    ----------
    deletions : int64 array, shape (k,)
        Deletions (or contractions) so far, counting only those inside the current graph; starts with 0.
    vertices, edges : int64 arrays, shape (k,)
        Of the largest component left after them. Exact mode has a row for every number of vertices that
        occurs, batched mode one for every batch.
    method, mode : str
    seed : int
    device : str
    seconds : float
    """

    deletions: npt.NDArray[np.int64]
    vertices: npt.NDArray[np.int64]
    edges: npt.NDArray[np.int64]
    method: str
    mode: str
    seed: int
    device: str
    seconds: float = field(compare=False)

    @property
    def average_degree(self) -> npt.NDArray[np.float64]:
        """Average degree, 2 m / n, shape (k,)."""
        return 2 * self.edges / self.vertices

    def at(self, vertices: int) -> tuple[int, int, int]:
        """Return (deletions, vertices, edges) once at most `vertices` vertices are left, or at the end."""
        row = _row_of(self.vertices, vertices)
        return int(self.deletions[row]), int(self.vertices[row]), int(self.edges[row])

    def to_pandas(self) -> Any:
        """Return the rows as a data frame: "deletions", "vertices", "edges", "average_degree".

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        return frame_of({name: getattr(self, name) for name in COUNTED})

    def plot(self, axes: Any = None) -> list[Any]:
        """Draw vertices and edges against deletions, and the average degree (matplotlib, the extra `plot`).

        Parameters
        ----------
        axes : two matplotlib Axes, optional
            To draw on; by default those of a new figure.

        Returns
        -------
        list of matplotlib Axes
        """
        from clgraph.sampling.figures import draw_curves

        return draw_curves([self], axes)

    def _facts(self) -> dict[str, Any]:
        return {
            "method": f"{self.method} ({self.mode})",
            "seed": self.seed,
            "rows": len(self.vertices),
            "vertices": _span(self.vertices[0], self.vertices[-1]),
            "edges": _span(self.edges[0], self.edges[-1]),
            "device": self.device,
        }


@dataclass(frozen=True, repr=False)
class ReductionCurves(Shown, Sequence[ReductionCurve]):
    """Reduction curves of one graph by one method, with one seed after the other.

    Attributes
    ----------
    curves : tuple of ReductionCurve
        One of each seed.
    """

    curves: tuple[ReductionCurve, ...]

    @overload
    def __getitem__(self, which: int) -> ReductionCurve: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[ReductionCurve, ...]: ...
    def __getitem__(self, which: int | slice) -> ReductionCurve | tuple[ReductionCurve, ...]:
        """Return the curve of the seed at a place, or those of a slice."""
        return self.curves[which]

    def __len__(self) -> int:
        """Number of seeds."""
        return len(self.curves)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seed of each curve."""
        return tuple(each.seed for each in self.curves)

    @property
    def notes(self) -> list[str]:
        """What a reader of a table should know: a batched curve has rows for batches alone."""
        if self.curves[0].mode != "batched":
            return []
        few, most = (end(len(each.vertices) - 1 for each in self.curves) for end in (min, max))
        return [
            f"a batched curve has a row for every batch, {_span(few, most)} of them here: sizes between two "
            "batches show the same row"
        ]

    def summary(self, points: int = 20) -> dict[str, list[Any]]:
        """Return means over the seeds at the same sizes, with 95 % intervals by Student's t.

        Parameters
        ----------
        points : int
            Rows after the first, at equal distances down to where the curves end.

        Returns
        -------
        dict of lists
            As `clgraph.sampling.curve_table` has it.

        Raises
        ------
        InputError
            If `points` is no count of 1 or more.
        """
        whole(points, "points", 1)
        last = min(int(each.vertices[-1]) for each in self.curves) / int(self.curves[0].vertices[0])
        return curve_table(self.curves, [1 - i * (1 - last) / points for i in range(points + 1)])

    def to_pandas(self, points: int = 20) -> Any:
        """Return `summary` as a data frame.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        return frame_of({name: np.array(values) for name, values in self.summary(points).items()})

    def table(self, points: int = 20, *, format: str = "markdown") -> str:
        """Return means and 95 % intervals over the seeds as a table for print, sizes in rows.

        Parameters
        ----------
        points : int
            As for `summary`.
        format : {"latex", "markdown", "csv"}
            LaTeX is for the package booktabs. CSV has all of `summary`, in full precision.

        Raises
        ------
        InputError
            Another format, or no count.

        Examples
        --------
        >>> import clgraph
        >>> curves = clgraph.reduction_curve(clgraph.powerlaw_graph(500, seed=1), "drv", 3, seeds=4)
        >>> len(curves), curves.seeds
        (4, (3, 4, 5, 6))
        >>> print(curves.table(2).splitlines()[2])
        | share of the vertices | deletions | vertices | edges | average degree |
        """
        check_format(format)
        found = self.summary(points)
        if format == "csv":
            rows = zip(*found.values(), strict=True)
            plain = [["" if cell is None else cell for cell in row] for row in rows]
            return written(list(found), plain, format)
        lines = []
        for i, share in enumerate(found["share"]):
            ends = ([found[f"{name}{end}"][i] for end in ("", "_low", "_high")] for name in COUNTED)
            lines.append([f"{100 * share:.1f} %", *(plus_minus(*each) for each in ends)])
        one = self.curves[0]
        seeds = f"seed {one.seed}" + (f" to {self.curves[-1].seed}" if len(self) > 1 else "")
        means = "; means with 95 % intervals" if len(self) > 1 else ""
        words = ". ".join([f"{one.method} ({one.mode}), {seeds}{means}", *self.notes]) + "."
        heads = ["share of the vertices", *(name.replace("_", " ") for name in COUNTED)]
        return written(heads, lines, format, words)

    def plot(self, axes: Any = None) -> list[Any]:
        """Draw means over the seeds with bands, their 95 % intervals (matplotlib, the extra `plot`).

        Parameters
        ----------
        axes : two matplotlib Axes, optional
            To draw on; by default those of a new figure.

        Returns
        -------
        list of matplotlib Axes
        """
        from clgraph.sampling.figures import draw_curves

        return draw_curves(self.curves, axes)

    def _facts(self) -> dict[str, Any]:
        one = self.curves[0]
        return {
            "method": f"{one.method} ({one.mode})",
            "seeds": _span(one.seed, self.curves[-1].seed),
            "vertices": _span(one.vertices[0], min(int(each.vertices[-1]) for each in self.curves)),
            "device": one.device,
        }


@keyed.takes_rng
@hints
def deletion_order(
    graph: Graph | Any, method: Literal["drv", "dre"] = "drv", seed: int = 0, *, rng: keyed.Rng | None = None
) -> npt.NDArray[Any]:
    """Return the order in which exact mode deletes, so that anyone can reproduce the loop.

    A vertex or edge that is no longer in the largest component when it comes up is skipped.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    method : {"drv", "dre"}
    seed : int
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Of ``numpy.random``, instead of `seed`, as in `clgraph.sample`.

    Returns
    -------
    array
        drv: the ids of all vertices. dre: the ranks of all edges except self-loops in the list of edges
        u <= v of the undirected view in index order (loops counted), as in `Sample.edges`.

    Raises
    ------
    InputError
        Another method, or an invalid seed.

    Examples
    --------
    >>> from clgraph import Graph
    >>> graph = Graph.from_edges([10, 20, 30], [20, 30, 10])
    >>> sorted(deletion_order(graph, "drv", seed=7).tolist())
    [10, 20, 30]
    """
    graph = as_graph(graph)
    method = plain_method(method)
    if not isinstance(method, str) or method not in EXACT:
        raise InputError(
            f"deletion_order: {shown(method)} has no such order; only {' and '.join(EXACT)} have one"
        )
    seed = keyed.check_seed(seed)
    if method == "drv":
        return graph.ids[_vertex_order(graph.num_vertices, seed)]
    view = graph.undirected
    upper = view.tails <= view.col_idx
    proper = view.tails[upper] < view.col_idx[upper]
    return np.flatnonzero(proper)[_edge_order(view.without_self_loops, seed)[2]]


def _row_of(vertices: npt.NDArray[np.int64], target: int) -> int:
    """Return the first row with at most `target` vertices, or the last; the rows' vertices fall."""
    found = len(vertices) - int(np.searchsorted(vertices[::-1], target, side="right"))
    return min(found, len(vertices) - 1)


def _vertex_order(n: int, seed: int) -> npt.NDArray[np.int64]:
    return np.argsort(keyed.vertex_priority(seed, np.arange(n)), kind="stable")


def _edge_order(
    simple: Graph, seed: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Smaller ends, larger ends (in index order) and the order of deletion of all edges."""
    rows, heads = simple.tails, simple.col_idx
    upper = rows < heads
    low, high = rows[upper], heads[upper]
    place = np.arange(len(low))
    first = np.ones(len(low), dtype=bool)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    copy = place - np.maximum.accumulate(np.where(first, place, 0))
    return low, high, np.argsort(keyed.edge_priority(seed, low, high, copy), kind="stable")


@overload
def reduction_curve(
    graph: Graph | Any,
    method: str = ...,
    seed: int | None = ...,
    *,
    seeds: None = ...,
    rng: keyed.Rng | None = ...,
    size: float | int | str = ...,
    device: str | Device | None = ...,
    mode: Literal["auto", "exact", "batched"] = ...,
    tolerance: float | None = ...,
    mix: float | str | None = ...,
    connection: Literal["weak", "strong"] = ...,
    progress: Any = ...,
    forest: Any = ...,
    checkpoint: str | os.PathLike[str] | None = ...,
) -> ReductionCurve: ...
@overload
def reduction_curve(
    graph: Graph | Any,
    method: str = ...,
    seed: int | None = ...,
    *,
    seeds: int,
    rng: keyed.Rng | None = ...,
    size: float | int | str = ...,
    device: str | Device | None = ...,
    mode: Literal["auto", "exact", "batched"] = ...,
    tolerance: float | None = ...,
    mix: float | str | None = ...,
    connection: Literal["weak", "strong"] = ...,
    progress: Any = ...,
    forest: Any = ...,
    checkpoint: str | os.PathLike[str] | None = ...,
) -> ReductionCurves: ...
@keyed.takes_rng
@with_progress("reducing")
def reduction_curve(
    graph: Graph | Any,
    method: str = "drv",
    seed: int | None = None,
    *,
    seeds: int | None = None,
    rng: keyed.Rng | None = None,
    size: float | int | str = 1,
    device: str | Device | None = None,
    mode: Literal["auto", "exact", "batched"] = "auto",
    tolerance: float | None = None,
    mix: float | str | None = None,
    connection: Literal["weak", "strong"] = "weak",
    progress: Any = None,
    forest: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> ReductionCurve | ReductionCurves:
    """Return how many vertices and edges are left after each number of deletions.

    Exact mode (drv, dre) has a row for every number of vertices that occurs. GPUs find when each vertex
    leaves for all together; of dre with parallel edges the host's CPU does it, if it has a driver, and
    `device` names it. Other devices go backwards through the whole deletion order in one serial pass, which
    takes a CPU a second for some ten million edges.
    Batched mode has a row for every batch.

    Parameters
    ----------
    graph, method, device, mode, tolerance, mix, connection
        As in `clgraph.sample` (of `Shards`, which take two passes over their pairs, also several devices);
        methods that explore delete nothing and have no curve.
    seed : int, optional
        By default one is drawn from the operating system and recorded in the result.
    seeds : int, optional
        Number of curves, with seeds `seed`, `seed` + 1, ...; they come with means and intervals.
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Of ``numpy.random``, instead of `seed`, as in `clgraph.sample`.
    size : float, int or str
        Where to stop, as in `clgraph.sample`; default: a single vertex.
    progress : callable or bool, optional
        Called with (done, of); True shows a bar.
    forest, checkpoint
        Of `Shards`, as in `clgraph.sample`.

    Returns
    -------
    ReductionCurve, or with `seeds` ReductionCurves

    Raises
    ------
    InputError, DeviceError, CapacityError
        As `clgraph.sample`.

    Examples
    --------
    >>> import clgraph
    >>> curve = clgraph.reduction_curve(clgraph.powerlaw_graph(1000, seed=1), "drv", 3)
    >>> curve.at(500)
    (358, 500, 827)
    """
    options: dict[str, Any] = {
        "size": size,
        "device": device,
        "mode": mode,
        "tolerance": tolerance,
        "mix": mix,
        "connection": connection,
        "forest": forest,
        "checkpoint": checkpoint,
    }
    if seeds is None:
        return _curve(graph, method, seed, progress, **options)
    whole(seeds, "seeds", 1)
    if forest is not None:
        raise InputError("a forest is of one seed: leave seeds out")
    first = keyed.check_seed(seed)
    keyed.check_seed(first + seeds - 1)  # the last one must not pass 2^64 - 1
    data = graph if dataset_of(graph) is not None else as_graph(graph)

    def part(run: int, done: int, of: int) -> None:
        progress(run * PART + done * PART // max(of, 1), seeds * PART)

    made = []
    for run in range(seeds):
        made.append(_curve(data, method, first + run, partial(part, run) if progress else None, **options))
    return ReductionCurves(tuple(made))


def _curve(
    graph: Any,
    method: str,
    seed: int | None,
    progress: Any,
    *,
    size: float | int | str,
    device: str | Device | None,
    mode: str,
    tolerance: float | None,
    mix: float | str | None,
    connection: str,
    forest: Any,
    checkpoint: Any,
) -> ReductionCurve:
    if (shards := dataset_of(graph)) is not None:
        from clgraph.sampling.shards.samples import curve_of_shards, exact_method, forest_given

        batched = {"tolerance": tolerance, "mix": mix}
        method = exact_method(shards, method, mode, connection, batched)
        saved = forest_given(shards, method, forest, seed)
        seed = seed if saved is None else saved.about.seed
        drawn = curve_of_shards(
            shards,
            method,
            seed,
            size=size,
            device=device,
            progress=progress,
            forest=saved,
            checkpoint=checkpoint,
        )
        return ReductionCurve(*drawn)
    check_names({"forest": forest, "checkpoint": checkpoint})
    graph = as_graph(graph)
    request = check_request(
        graph, method, {"mode": mode, "tolerance": tolerance, "mix": mix, "connection": connection}
    )
    method = request.method
    if method in EXPLORING:
        raise InputError(
            f"{method} deletes nothing: a reduction curve is of the methods that delete or contract"
        )
    target = target_size(size, graph.num_vertices)
    seed = keyed.check_seed(seed)

    if (
        request.mode == "exact" and method == "dre" and graph.is_multigraph
    ):  # which the forest's words do not tell apart
        from clgraph.device import get_device

        device = get_device(device)
        if device.kind == "gpu":  # boards and CPUs take the serial pass themselves
            device = serial_device(device)
    run = run_on(device, graph, *(("pairs",) if request.mode == "exact" else ()), once=True)
    with run.lock, run:
        dev = run.device
        if run.blocks is not None:
            from clgraph.sampling.shards.samples import curve_of_shards

            drawn = curve_of_shards(run.blocks, method, seed, size=size, device=dev, progress=progress)
            return run.stamped(ReductionCurve(*drawn))
        simple = graph.undirected.without_self_loops
        upload_csr(dev, simple)
        dev.finish()
        started = perf_counter()
        if request.mode == "exact":
            edges = method == "dre"
            # one serial pass takes a CPU a second for some ten million edges, and the forest's way 1.6 to 1.8
            # times that (docs/performance.md)
            if dev.kind == "gpu" and not (edges and simple.is_multigraph):
                from clgraph.sampling.deletion_times import rows_of_curve

                rows = rows_of_curve(dev, simple, seed, target, progress, edges=edges)
            elif method == "drv":
                order = _vertex_order(simple.num_vertices, seed).astype(np.int32)
                rows = whole_tree(dev, simple, vertices=order, progress=progress)
            else:
                low, high, sequence = _edge_order(simple, seed)
                rows = whole_tree(dev, simple, edges=(low[sequence], high[sequence]), progress=progress)
            last = _row_of(rows[1], target)
            rows = tuple(each[: last + 1] for each in rows)  # type: ignore[assignment]
        else:
            batches = cast("BatchedRun | Contraction", make_run(dev, graph, request, seed))
            batches.keep_history = True
            batches.start()
            batches.shrink_to(target, progress)
            rows = tuple(np.array(batches.history, np.int64).reshape(-1, 3).T)  # type: ignore[assignment]
        seconds = perf_counter() - started
        return ReductionCurve(*rows, method, request.mode, seed, dev.name, seconds, provenance=run.provenance)


def curve_table(curves: Sequence[ReductionCurve], shares: Sequence[float]) -> dict[str, list[Any]]:
    """Curves of several seeds at the same sizes: mean, standard deviation and 95 % interval over the seeds.

    Parameters
    ----------
    curves : sequence of ReductionCurve
        Of one graph and method.
    shares : sequence of float
        Shares of the vertices of the largest component of the input.

    Returns
    -------
    dict of lists, one entry for each share
        share, vertices, deletions, edges, average_degree (means), average_degree_spread (0.0 for one curve);
        and of each the ends of its mean's 95 % interval, deletions_low, deletions_high, ... (None for one).
    """
    made: list[dict[str, Any]] = []
    for share in shares:
        wanted = max(1, round(share * int(curves[0].vertices[0])))
        found = np.array([curve.at(wanted) for curve in curves], np.float64)
        row: dict[str, Any] = {"share": share}
        values = dict(zip(COUNTED, (*found.T, 2 * found[:, 2] / found[:, 1]), strict=True))
        for name in ("vertices", "deletions", "edges", "average_degree"):
            row[name] = float(values[name].mean())
        row["average_degree_spread"] = float(values["average_degree"].std(ddof=1)) if len(curves) > 1 else 0.0
        for name in COUNTED:
            row[f"{name}_low"], row[f"{name}_high"] = t_interval(values[name])
        made.append(row)
    return {name: [row[name] for row in made] for name in (made[0] if made else ())}
