"""A sample: the result of `clgraph.sample`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph._version import __version__
from clgraph.arguments import word
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.lazy import lazy
from clgraph.results import RunsOn, kernel_facts
from clgraph.sampling.literature.estimates import (
    Distribution,
    Estimate,
    by_vertex,
    edge_chances,
    horvitz_thompson,
    of_batches,
    ratio,
    recruitment_shares,
    view_degrees,
    weights_of,
)
from clgraph.sampling.literature.reservoir import Reservoir, estimates_of
from clgraph.sampling.selection import Selection, with_loops

if TYPE_CHECKING:
    from clgraph.scale.shards import Shards

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Sample(RunsOn):
    """A sample of a graph, of a dataset of shards, or of a stream, and how it was made.

    What a method does not have is None.

    Attributes
    ----------
    graph : Graph
        The sample, with weights, multiplicities and original ids. Self-loops play no part in sampling and are
        left out. Of a stream it is undirected; edges that came several times are one, with a multiplicity.
        Made on a device, it stays there until an array is looked at. (A sample of a dataset is `shards`.)
    vertices : array, shape (k,)
        Original ids of the sample's vertices, in index order: ``graph.ids``. (With ``arrays="device"`` a
        ``pyopencl.array.Array``.)
    index : int64 array, shape (k,)
        Their indices in the original; an InputError for streams.
    edges : int64 array
        Positions in the original's list of edges u <= v in index order (its undirected view, loops counted).
        Like `vertices` and `contracted_to`, it is made at the first look.
    num_vertices, num_edges : int
        Number of vertices; of edges (of a directed graph: of connected pairs).
    method, mode : str
    size : float, int, str or None
        As asked for: of gps edges, else vertices.
    target_vertices : int
        n*, the number of vertices (of gps: edges) that `size` amounts to; 0 where there is none.
    seed : int
    device : str
        Name of the device.
    iterations : int
        Batches; in exact mode, probes of a threshold; of walks legs, of searches starts. 0 where there was
        nothing to delete.
    seconds : dict of str to float
        By phase: device, build (views on the host), upload, compile, sample; download and result (the
        sample's graph) once `graph` was made.
    algorithm : str
        How the sample was found. Exact mode: "probes" (of thresholds, and a merge tree for the last
        deletions), "merge tree" (all deletions) or "forest" (the priority forest: datasets, and arcs that
        exceed the device's largest buffer). Batched mode: how the largest component was found, "afforest",
        "bfs" or "strong". "contraction", "breadth-first", "depth-first" ("depth-first on NAME" where the
        walk, which is serial, ran on the host's CPU device instead of a GPU); or "untouched". Of the samplers
        of the literature: the kind.
    notes : tuple of str
        What the user should know: loops left out, nothing to delete, ...
    original : Graph, Shards or None
        None of streams.
    shards : Shards or None
        The sample of a dataset, as a dataset, where an output was named.
    options : dict
        What was asked for besides method, size and seed.
    contracted_to : int32 array, shape (n,), or None
        For a contraction: the index of the original vertex that each original vertex became, the smallest of
        its group; -1 outside the largest component.
    order : int64 array, shape (k,), or None
        Place of each vertex in the order of arrival; None where vertices come by edges of a fixed number.
    visits : int64 array, shape (k,), or None
        For walks: visits to each vertex, starts not counted.
    weight : float64 array, shape (k,), or None
        For the samplers of the literature: by which each vertex counts in an estimate.
    weighting : {"exact", "conditional", "approximate", "stationary", "none"}
        What `weight` is: 1/p, the probability p of the vertex known exactly, given the other vertices' keys,
        or approximately; 1/p up to a factor; nothing.
    probability : float64 array, or None
        For edges that were drawn: the probability of each of `edges`, given the others' keys.
    parent : array, shape (k,), or None
        Id of the vertex from which each was reached; its own id for starts.
    walks : array, or None
        On request: the index of each walker's start and of its vertex after each step, int32, shape
        (walkers, steps + 1); -1 after a dead end (rwr, rj and rwj go on by jumps). With ``walks="ids"`` ids,
        and -1 or "" after a dead end; with ``walks="device"`` a ``pyopencl.array.Array``.
    parts : int32 array, shape (n,), or None
        For quasi-chordal: the number of each vertex's part.
    stream : Reservoir, or None
        For pies, gsh and gps: the edges held in the order in which they came (`arrival`, `source`, `target`,
        `probability`), how many came (`arrivals`), and what can be estimated from them (`estimate`).
    """

    method: str
    mode: str
    size: Any
    target_vertices: int
    seed: int
    device: str
    seconds: dict[str, float]
    algorithm: str
    iterations: int
    notes: tuple[str, ...]
    original: Graph | Any
    options: dict[str, Any] = field(default_factory=dict)
    selection: Selection = field(default_factory=Selection)
    at: Any = field(default_factory=int)  # which of the selection
    weighting: str = field(init=False)
    parts: npt.NDArray[np.int32] | None = field(init=False)
    stream: Reservoir | None = field(init=False)
    shards: Shards | None = field(init=False)

    __eq__ = object.__eq__  # not the one of `RunsOn`, which compares nothing
    __hash__ = object.__hash__

    def __post_init__(self) -> None:
        chosen, request = self.selection, self.selection.request
        vars(self).update(
            weighting="none" if request is None else request.weighting,
            parts=chosen.more["part"].of(self.at) if "part" in chosen.more else None,
            stream=None if chosen.reservoirs is None else chosen.reservoirs[self.at],
            shards=chosen.dataset,
        )

    def _changed(self, **changes: Any) -> Sample:
        """Return a copy with some fields changed that has been looked at as far as this one."""
        made = object.__new__(Sample)
        vars(made).update(vars(self) | changes)
        return made

    @lazy
    def graph(self) -> Graph:
        """The sample as a graph."""
        if self.original is None:
            reservoir = self.stream
            assert reservoir is not None
            return Graph.from_edges(reservoir.source, reservoir.target, vertices=self._ids)
        if not isinstance(self.original, Graph):
            raise InputError(
                "a sample of a dataset has no graph in memory: name an output, and join what `shards` opens "
                "(clgraph.join_shards)"
            )
        started = perf_counter()
        self.selection.download()
        downloaded = perf_counter()
        made = self.selection.sampled(self.original, self.at)
        if self.selection.request is None:
            self.seconds.update(download=downloaded - started, result=perf_counter() - downloaded)
        self._with_graph(made)
        return made

    def _with_graph(self, graph: Graph) -> Sample:
        """Take a graph that is made already."""
        if self.original.attributes is not None:
            graph.attributes = self.original.attributes
        vars(self).setdefault("graph", graph)
        return self

    @property
    def vertices(self) -> npt.NDArray[Any]:
        """Original ids of the sample's vertices, in index order."""
        if "_arrays_on" not in vars(self):  # the device, with arrays="device"
            return self._ids
        from clgraph.csr.upload import ids_on

        device = vars(self)["_arrays_on"]
        with device.alone():
            return ids_on(device, self.graph)

    @lazy
    def _ids(self) -> npt.NDArray[Any]:
        if self.stream is not None and self.original is None:
            return self.stream.vertices
        if "graph" in vars(self):
            return self.graph.ids
        if isinstance(self.original, Graph) and self.original._has_identity_ids:
            return self.index
        return self._whole.ids[self.index]

    @property
    def _whole(self) -> Any:
        """The original."""
        if self.original is None:
            raise InputError("samples of a stream have no original whose vertices could have values")
        return self.original

    @lazy
    def index(self) -> npt.NDArray[np.int64]:
        """Indices of the sample's vertices in the original, ascending."""
        return self.selection.index(self._whole, self.at)

    @lazy
    def _arc_mask(self) -> npt.NDArray[np.bool_]:
        """Mask of the arcs of ``original.undirected`` that are in the sample.

        For a contraction: for each pair of its vertices the smallest edge that joins their groups.
        """
        return with_loops(self._whole.undirected, self.selection.arc_mask(self._whole, self.at))

    @lazy
    def contracted_to(self) -> npt.NDArray[np.int32] | None:
        """Original vertex into which each original vertex was contracted; None for other methods."""
        return self.selection.groups(self.at)

    @lazy
    def edges(self) -> npt.NDArray[np.int64]:
        """Positions of the sample's edges in the original's list of edges u <= v, in index order."""
        view = self._whole.undirected
        return np.flatnonzero(self._arc_mask[view.tails <= view.col_idx])

    @property
    def num_vertices(self) -> int:
        """Number of vertices in the sample."""
        counts = self.selection.counts_of(self.at)
        if counts is not None:
            return counts[0]
        return self.graph.num_vertices if "graph" in vars(self) else len(self._ids)

    @lazy
    def num_edges(self) -> int:
        """Number of edges in the sample (of a directed graph: of connected pairs)."""
        counts = self.selection.counts_of(self.at)
        if counts is not None:
            return counts[1]
        if not self.graph.directed:
            return self.graph.num_edges
        return int(np.count_nonzero(self._arc_mask)) // 2

    def __getstate__(self) -> dict[str, Any]:
        looked_at: dict[str, Any] = {}
        if isinstance(self.original, Graph):
            names = ("graph", "_arc_mask", "index", "contracted_to", "num_edges")
            looked_at = {name: getattr(self, name) for name in names}
        if self.selection.among_several:
            _ = self._batches  # there may be no device where it is unpickled
        selection = Selection() if self.selection.request is None else self.selection
        state = {**vars(self), **looked_at, "selection": selection}
        state.pop("_arrays_on", None)
        return state

    # --- what samplers of the literature know of vertices and edges -------------------------------

    @lazy
    def order(self) -> npt.NDArray[np.int64] | None:
        """Position of each vertex in the order of arrival."""
        if self.selection.came is None:
            return None
        keys = [self.index, self.selection.came.of(self.at)]
        request = self.selection.request
        if request.kind in ("stages", "spikyball") and request.mode != "exact":
            keys.insert(1, keyed.vertex_priority(self.seed, self.index))
        place = np.empty(len(self.index), np.int64)
        place[np.lexsort(keys)] = np.arange(len(place))
        return place

    @lazy
    def visits(self) -> npt.NDArray[np.int64] | None:
        """Number of visits to each vertex."""
        visits = self.selection.visits
        return None if visits is None else visits.of(self.at).astype(np.int64)

    @lazy
    def _parents(self) -> npt.NDArray[np.int64] | None:
        """Index of the vertex from which each was reached; its own for starts."""
        if self.selection.parent is None:
            return None
        parent = self.selection.parent.of(self.at).astype(np.int64)
        return np.where(parent < 0, self.index, parent)

    @lazy
    def parent(self) -> npt.NDArray[Any] | None:
        """Id of the vertex from which each vertex was reached; a start's own id."""
        return None if self._parents is None else self._whole.ids[self._parents]

    @lazy
    def walks(self) -> npt.NDArray[Any] | None:
        """Index of each walker's start and of its vertex after each step, (walkers, steps + 1)."""
        if "walks" not in self.selection.more:
            return None
        made, request = self.selection.more["walks"], self.selection.request
        if request.walks == "device" and made.device_column is not None:
            with made.device.alone():
                whole = made.device.array(made.buffer, np.int32, int(made.offset[-1]))
                return whole[made.offset[self.at] : made.offset[self.at + 1]].reshape(request.walkers, -1)
        rows = made.of(self.at).reshape(request.walkers, -1)
        return _ids_of_walks(self._whole.ids, rows) if request.walks == "ids" else rows

    @lazy
    def _probabilities(self) -> tuple[Reals | None, Reals | None]:
        """`weight`, and the probability of each vertex where it is known."""
        if self.selection.request is None or self.original is None:
            return None, None
        return weights_of(self.selection.request, self.selection, self.at, self.index)

    @property
    def weight(self) -> Reals | None:
        """Weight of each vertex in an estimate."""
        return self._probabilities[0]

    @lazy
    def probability(self) -> Reals | None:
        """Probability of each sampled edge, given the keys of the others."""
        return edge_chances(self.selection, self.at)

    # --- estimates --------------------------------------------------------------------------------

    def mean(self, f: Any) -> Estimate:
        """Estimate the mean of f over all vertices of the original, by the weights.

        Without weights it is the mean over the sample's vertices.

        Parameters
        ----------
        f : array, shape (n,), or a column keyed by id, or the name of an attribute
            See `clgraph.sampling.literature.estimates.by_vertex`.

        Returns
        -------
        Estimate
            ``(value, standard_error)``; the error is nan where one sample does not give it. That of one walk
            among several runs takes a walk more, when it is first asked for.
        """
        return self._mean(by_vertex(self._whole, f)[self.index])

    def _value(self, values: Reals) -> float:
        """The mean without its error."""
        if self.weight is None:
            return float(values.mean())
        return ratio(values, self.weight if self.visits is None else self.weight * self.visits, None).value

    def _mean(self, values: Reals) -> Estimate:
        weight, batches = self.weight, self._batches
        if weight is not None and self.visits is None:
            return ratio(values, weight, self._probabilities[1])
        error = float("nan")
        if weight is not None and batches is not None:
            error = of_batches(batches @ (values * weight), batches @ weight).standard_error
        return Estimate(self._value(values), error)

    @lazy
    def _batches(self) -> Reals | None:
        """Visits to each vertex in consecutive parts of a walk, shape (parts, k): its error comes from them.

        Many runs side by side do not keep them, which would take much memory: the run is walked again, alone.
        """
        drawn, run = self.selection, self.at
        if drawn.visits is not None and drawn.among_several:
            drawn, run = _walked_again(drawn, self.seed), 0
        if "batches" not in drawn.more:
            return None
        made: Reals = drawn.more["batches"].of(run).reshape(-1, len(self.index)).astype(np.float64)
        return made

    def distribution(self, f: Any, estimator: str | None = None) -> Distribution:
        """Estimate the share of the original's vertices with each value of f that occurs in the sample.

        Parameters
        ----------
        f
            As in `mean`.
        estimator : {"SS", "II", "I"}, optional
            For rds: by successive sampling (Gile 2011; default), by degrees (Volz, Heckathorn 2008), or by
            who recruited whom, of two groups (Salganik, Heckathorn 2004). The latter two know no errors.
        """
        values = by_vertex(self._whole, f, numbers=False)[self.index]
        if estimator is not None:
            if self.method != "rds":
                raise InputError(f"estimator is of rds, and this is a sample of {self.method}: leave it out")
            if word(estimator, "estimator", ("SS", "II", "I")) != "SS":
                degrees = view_degrees(self.selection.request, self.index)
                if estimator == "I":
                    assert self._parents is not None
                    # recruiters that the cut of the last stage left out do not occur: they came before
                    names, share = recruitment_shares(
                        values, degrees, np.searchsorted(self.index, self._parents)
                    )
                else:
                    names, place = np.unique(values, return_inverse=True)
                    share = np.bincount(place, weights=1 / degrees) / np.sum(1 / degrees)
                return Distribution(names, share, np.full(len(names), np.nan))
        seen, share = self._shares(values)
        errors = [self._mean((values == each).astype(np.float64)).standard_error for each in seen]
        return Distribution(seen, share, np.array(errors))

    def _shares(self, values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Reals]:
        """The distribution without its errors."""
        if self.weight is None:
            seen, times = np.unique(values, return_counts=True)
            return seen, times / times.sum()
        seen = np.unique(values)
        return seen, np.array([self._value((values == each).astype(np.float64)) for each in seen])

    def total(self, f: Any) -> Estimate:
        """Estimate the sum of f over all vertices of the original.

        From the vertices' probabilities; where only ratios of them are known, n times the mean.
        """
        values = by_vertex(self._whole, f)[self.index]
        p, n = self._probabilities[1], self._whole.num_vertices
        if p is None:
            mean = self._mean(values)
            return Estimate(mean.value * n, mean.standard_error * n)
        return horvitz_thompson(values, p)

    # --- what it says of itself -------------------------------------------------------------------

    def to_dict(self, *, hashes: bool = True) -> dict[str, Any]:
        """Return the scalars (vertices and edges as counts), ready for JSON.

        Parameters
        ----------
        hashes : bool
            Whether to add the hashes of the original and of the sample (`clgraph.graph.digest.digest`), by
            which `clgraph replay` compares. They bring both graphs to the host.
        """
        made: dict[str, Any] = {"clgraph": __version__, "options": self.options}
        in_memory = isinstance(self.original, Graph)
        if hashes and (in_memory or self.original is None):
            from clgraph.graph.digest import digest

            if in_memory:
                made["input_sha256"] = digest(self.original)
            made["sha256"] = digest(self.graph)
        made |= {name: getattr(self, name) for name in ("method", "mode", "seed", "size")}
        made["target"] = self.target_vertices
        if self.original is None and self.stream is not None:
            made["arrivals"] = self.stream.arrivals
        made |= {
            "vertices": self.num_vertices,
            "edges": self.num_edges,
            "iterations": self.iterations,
            "device": self.device,
            **kernel_facts(self),
            "way": self.algorithm,
            "notes": list(self.notes),
            "seconds": self.seconds,
        }
        if self.original is not None and not in_memory:
            made["fingerprint"] = None if self.shards is None else self.shards.fingerprint
        if self.selection.request is not None and in_memory:
            made |= {"weighting": self.weighting, "keep": self.selection.request.keep}
        return made if self.stream is None else made | estimates_of(self.stream)

    def __repr__(self) -> str:
        edges = f"{self.num_edges} {self._counts}"
        if self.original is None and self.stream is not None:
            edges = f"{len(self.stream.arrival)} of {self.stream.arrivals} edges"
        target = (
            f"target {self.target_vertices}, " if self.target_vertices and self.original is not None else ""
        )
        return (
            f"<Sample: {with_mode(self.method, self.mode)}, {self.num_vertices} vertices, {edges}, "
            f"{target}seed {self.seed}>"
        )

    def plot(self, axes: Any = None) -> Any:
        """Draw the degree distributions of the sample and its original (matplotlib, the extra `plot`).

        Parameters
        ----------
        axes : matplotlib Axes, optional
            To draw on; by default those of a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from clgraph.sampling.figures import draw_degrees

        return draw_degrees(self, axes)

    @property
    def _counts(self) -> str:
        """Name of what `num_edges` counts."""
        whole = self.graph if self.original is None else self.original
        return "pairs" if whole.directed else "edges"

    def _facts(self) -> dict[str, Any]:
        whole = "" if self.original is None else f" of {self.original.num_vertices}"
        return {
            "method": with_mode(self.method, self.mode),
            "vertices": f"{self.num_vertices}{whole}",
            self._counts: self.num_edges,
            **({"target": self.target_vertices} if self.target_vertices else {}),
            "seed": self.seed,
            "device": self.device,
        }

    def _bars(self) -> tuple[str, Sequence[float]] | None:
        return self.graph._bars() if self.original is None or isinstance(self.original, Graph) else None


def _ids_of_walks(ids: npt.NDArray[Any], rows: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """Return ids, shape of `rows`; what follows an end is -1, or "" among names."""
    found, over = ids[rows], rows < 0
    if over.any():
        # no id is negative
        found[over] = -1 if ids.dtype.kind in "iu" else ""
    return found


def _walked_again(drawn: Any, seed: int) -> Any:
    """Repeat one of several runs of a walk, alone."""
    from clgraph.device import get_device
    from clgraph.sampling.literature.walks import Frontier, Walks

    device = get_device() if drawn.vertices.device_column is None else drawn.vertices.device_column.device
    walks = Frontier if drawn.request.kind == "frontier" else Walks
    with device.alone():
        return walks(device, drawn.request.view, drawn.request, seed, 1).draw()


def with_mode(method: str, mode: str | None) -> str:
    """Return a method's name, with its mode if it has several."""
    return method if mode in (None, "auto") else f"{method} ({mode})"
