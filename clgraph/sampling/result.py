"""What `clgraph.sample` returns."""

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
    Weights,
    by_vertex,
    edge_chances,
    horvitz_thompson,
    of_batches,
    ratio,
    recruitment_shares,
    view_degrees,
    weights_of,
)
from clgraph.sampling.literature.reservoir import Held, estimates_of
from clgraph.sampling.selection import Selection, with_loops

if TYPE_CHECKING:
    from clgraph.sampling.request import Request

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Sample(RunsOn):
    """A sample of a graph, or of a stream, and how it was made.

    What a method does not have is None.

    Attributes
    ----------
    graph : Graph
        The sample, with weights, multiplicities and original ids. Self-loops play no part in sampling and are
        left out. Of a stream it is undirected; edges that came several times are one, with a multiplicity.
        Made on a device, it stays there until an array is looked at.
    vertices : array, shape (k,)
        Original ids of the sample's vertices, in index order: ``graph.ids``. (With ``arrays="device"`` a
        ``pyopencl.array.Array``.)
    index : int64 array, shape (k,)
        Their indices in the original; None of streams.
    edges : int64 array
        Ranks in the original's list of edges u <= v in index order (its undirected view, loops counted).
        Like `vertices`, `kept_arcs` and `group`, it is made at the first look.
    num_vertices, num_edges : int
        Number of vertices; of edges (of a directed graph: of connected pairs).
    method, mode : str
    size : float, int, str or None
        As asked for: of gps edges, else vertices.
    target : int
        n*, the number of vertices (or edges) that `size` amounts to; 0 where there is none.
    seed : int
    device : str
        Name of the device.
    iterations : int
        Batches; in exact mode, probes of a threshold; of walks legs, of searches starts. 0 where there was
        nothing to delete.
    seconds : dict of str to float
        By phase: device, build (views on the host), upload, compile, sample, download, result (the sample's
        graph).
    way : str
        How the sample was found. Exact mode: "probes" (of thresholds, and a merge tree for the last
        deletions), "merge tree" (all deletions) or "forest" (the priority forest: arcs that exceed the
        device's largest buffer). Batched mode: how the largest component was
        found, "afforest", "bfs" or "strong". "contraction", "breadth-first", "depth-first" ("depth-first on
        NAME" where the walk, which is serial, ran on the host's CPU device instead of a GPU); or "untouched".
        Of the samplers of the literature: the kind.
    notes : tuple of str
        What the user should know: loops left out, nothing to delete, ...
    original : Graph, or None
        None of streams.
    options : dict
        What was asked for besides method, size and seed.
    kept_arcs : bool array
        Which arcs of ``original.undirected`` are in the sample. (Of a contraction: for each pair of its
        vertices the smallest edge that joins their groups.)
    group : int32 array, shape (n,), or None
        Of a contraction: the index of the original vertex that each original vertex became, the smallest of
        its group; -1 outside the largest component.
    order : int64 array, shape (k,), or None
        Rank of arrival of each vertex; None where vertices come by edges of a fixed number.
    visits : int64 array, shape (k,), or None
        Of walks: visits to each vertex, starts not counted.
    weight : float64 array, shape (k,), or None
        Of the samplers of the literature: by which each vertex counts in an estimate.
    weighting : {"exact", "conditional", "approximate", "stationary", "none"}
        What `weight` is: 1/p, the probability p of the vertex known exactly, given the other vertices' keys,
        or approximately; 1/p up to a factor; nothing.
    probability : float64 array, or None
        Of edges that were drawn: the probability of each of `edges` (of a stream: of each edge held), given
        the others' keys.
    parent : array, shape (k,), or None
        Id of the vertex from which each was reached; its own id for starts.
    walks : array, or None
        On request: ids, shape (walkers, steps + 1), from each walker's start on.
    parts : int32 array, shape (n,), or None
        Of quasi-chordal: the number of each vertex's part.
    arrivals : int, or None
        Of pies, gsh and gps: edges that came, without loops.
    arrival : int64 array, or None
        Of the same: when each of `edges` (of a stream: each edge held) came: 1, 2, ...
    source, target_ids : array, or None
        Of a stream: the ends of each edge held, in the order in which they came.
    """

    there = None  # with arrays="device" the Device that `vertices` are on

    method: str
    mode: str
    size: Any
    target: int
    seed: int
    device: str
    phases: dict[str, float]
    iterations: int = 0
    way: str = ""
    notes: tuple[str, ...] = ()
    original: Graph | None = None
    options: dict[str, Any] = field(default_factory=dict)
    selection: Selection = field(default_factory=Selection)
    at: Any = 0  # which of the selection

    __eq__ = object.__eq__  # not the one of `RunsOn`, which compares nothing
    __hash__ = object.__hash__

    def changed(self, **changes: Any) -> Sample:
        """The same, which has been looked at as far as this one, with some fields changed."""
        made = object.__new__(Sample)
        vars(made).update(vars(self) | changes)
        return made

    @lazy
    def graph(self) -> Graph:
        """The sample as a graph."""
        if self.original is None:
            source, target = self.source, self.target_ids
            assert source is not None
            assert target is not None
            return Graph.from_edges(source, target, vertices=self._ids)
        started = perf_counter()
        self.selection.download()
        downloaded = perf_counter()
        made = self.selection.sampled(self.original, self.at)
        if self.wish is None:
            self.phases.update(download=downloaded - started, result=perf_counter() - downloaded)
        self.with_graph(made)
        return made

    def with_graph(self, graph: Graph) -> Sample:
        """This, with a graph that is made already."""
        if self.original is not None and self.original.attributes is not None:
            graph.attributes = self.original.attributes
        vars(self).setdefault("graph", graph)
        return self

    @property
    def seconds(self) -> dict[str, float]:
        """Time by phase."""
        if self.wish is None:
            self.graph  # noqa: B018 (whose making is a phase)
        return self.phases

    @property
    def vertices(self) -> npt.NDArray[Any]:
        """Original ids of the sample's vertices, in index order."""
        if self.there is None:
            return self._ids
        from clgraph.csr.upload import ids_on

        with self.there.alone():
            return ids_on(self.there, self.graph)

    @lazy
    def _ids(self) -> npt.NDArray[Any]:
        if self.original is None:
            assert self.held is not None
            return _plain(self.held.vertices)
        if "graph" in vars(self):
            return self.graph.ids
        return self.index if self.original._has_identity_ids else self.original.ids[self.index]

    @property
    def _whole(self) -> Graph:
        """The original."""
        if self.original is None:
            raise InputError("samples of a stream have no original whose vertices could have values")
        return self.original

    @lazy
    def index(self) -> npt.NDArray[np.int64]:
        """Indices of the sample's vertices in the original, ascending."""
        return self.selection.index(self._whole, self.at)

    @lazy
    def kept_arcs(self) -> npt.NDArray[np.bool_]:
        """Which arcs of ``original.undirected`` are in the sample."""
        return with_loops(self._whole.undirected, self.selection.kept(self._whole, self.at))

    @lazy
    def group(self) -> npt.NDArray[np.int32] | None:
        """Of a contraction: the original vertex that each original vertex became."""
        return self.selection.groups(self.at)

    @lazy
    def edges(self) -> npt.NDArray[np.int64]:
        """Ranks in the original's list of edges u <= v in index order."""
        view = self._whole.undirected
        return np.flatnonzero(self.kept_arcs[view.tails <= view.col_idx])

    @property
    def num_vertices(self) -> int:
        """Number of vertices in the sample."""
        return self.graph.num_vertices if "graph" in vars(self) else len(self._ids)

    @lazy
    def num_edges(self) -> int:
        """Number of edges (pairs, of a directed graph) in the sample."""
        if not self.graph.directed:
            return self.graph.num_edges
        return int(np.count_nonzero(self.kept_arcs)) // 2

    def __getstate__(self) -> dict[str, Any]:
        looked_at: dict[str, Any] = {}
        if self.original is not None:
            looked_at = {
                name: getattr(self, name) for name in ("graph", "kept_arcs", "index", "group", "num_edges")
            }
        if self.selection.among_several:
            _ = self._batches  # there may be no device where it is unpickled
        selection = Selection() if self.wish is None else self.selection
        return {**vars(self), **looked_at, "selection": selection, "there": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def members(self, vertex: Any) -> npt.NDArray[Any]:
        """Original ids of the vertices that a vertex of the sample (given by id) represents, in index order.

        Unless the method contracts, only the vertex itself.
        """
        self.graph.indices_of([vertex])  # an id that is not in the sample: InputError
        whole = self.graph if self.original is None else self.original
        place = whole.indices_of([vertex])
        if self.group is not None:
            place = np.flatnonzero(self.group == place[0])
        return whole.ids[place]

    # --- what samplers of the literature know of vertices and edges -------------------------------

    @property
    def wish(self) -> Request | None:
        """What was asked for, checked."""
        return self.selection.wish

    @lazy
    def order(self) -> npt.NDArray[np.int64] | None:
        """Rank of arrival of each vertex."""
        if self.selection.came is None:
            return None
        keys = [self.index, self.selection.came.of(self.at)]
        wish = self.selection.wish
        if wish.kind in ("stages", "spikyball") and wish.mode != "exact":
            keys.insert(1, keyed.vertex_priority(self.seed, self.index))
        rank = np.empty(len(self.index), np.int64)
        rank[np.lexsort(keys)] = np.arange(len(rank))
        return rank

    @lazy
    def visits(self) -> npt.NDArray[np.int64] | None:
        """Visits to each vertex."""
        visits = self.selection.visits
        return None if visits is None else visits.of(self.at).astype(np.int64)

    @lazy
    def parent(self) -> npt.NDArray[Any] | None:
        """Id of the vertex from which each was reached; its own for starts."""
        if self.selection.parent is None:
            return None
        parent = self.selection.parent.of(self.at).astype(np.int64)
        return self._whole.ids[np.where(parent < 0, self.index, parent)]

    @lazy
    def walks(self) -> npt.NDArray[Any] | None:
        """On request: the ids of each walker's start and its vertex after each step, (walkers, steps + 1)."""
        if "walks" not in self.selection.more:
            return None
        made = self.selection.more["walks"].of(self.at).reshape(-1, self.selection.wish.walkers)
        return self._whole.ids[made.T]

    @lazy
    def parts(self) -> npt.NDArray[Any] | None:
        """Of quasi-chordal: the number of each vertex's part, shape (n,)."""
        return self.selection.more["part"].of(self.at) if "part" in self.selection.more else None

    @lazy
    def _weights(self) -> Weights:
        if self.wish is None or self.original is None:
            return Weights("none", None, None)
        return weights_of(self.wish, self.selection, self.at, self.index)

    @property
    def weight(self) -> Reals | None:
        """By which each vertex counts in an estimate."""
        return self._weights.weight

    @property
    def weighting(self) -> str:
        """What `weight` is."""
        return self._weights.weighting

    @lazy
    def probability(self) -> Reals | None:
        """The probability of each edge, given the others' keys."""
        if self.held is not None:
            return self.held.probability
        return edge_chances(self.selection, self.at)

    # --- what is held of a stream -----------------------------------------------------------------

    @property
    def held(self) -> Held | None:
        """What is held of a stream, or of a graph that was taken for one."""
        return None if self.selection.held is None else self.selection.held[self.at]

    @property
    def arrivals(self) -> int | None:
        """Edges that came, without loops."""
        return None if self.held is None else self.held.arrivals

    @property
    def arrival(self) -> npt.NDArray[np.int64] | None:
        """When each edge came: 1, 2, ..."""
        return None if self.held is None else self.held.arrival

    @property
    def source(self) -> npt.NDArray[Any] | None:
        """Of a stream: one end of each edge held, int64, or objects of type str."""
        return None if self.held is None or self.original is not None else _plain(self.held.source)

    @property
    def target_ids(self) -> npt.NDArray[Any] | None:
        """Of a stream: the other end of each edge held."""
        return None if self.held is None or self.original is not None else _plain(self.held.target)

    def estimate(self, what: str, *, in_stream: bool = False) -> Estimate:
        """Of gsh and gps: the number of edges, wedges or triangles; see `Held.estimate`."""
        if self.held is None:
            raise InputError(f"estimate() is of gsh and gps, and this is a sample of {self.method}")
        return self.held.estimate(what, in_stream=in_stream)

    # --- estimates --------------------------------------------------------------------------------

    def mean(self, f: Any) -> Estimate:
        """The mean of f over all vertices of the original, estimated by the weights.

        Without weights it is the mean over the sample's vertices.

        Parameters
        ----------
        f : array, shape (n,), or a column keyed by id, or the name of an attribute
            See `clgraph.sampling.literature.estimates.by_vertex`.

        Returns
        -------
        Estimate
            ``(value, standard_error)``; the error is nan where one sample does not tell it. That of one walk
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
            return ratio(values, weight, self._weights.p)
        error = float("nan")
        if weight is not None and batches is not None:
            error = of_batches(batches @ (values * weight), batches @ weight).standard_error
        return Estimate(self._value(values), error)

    @lazy
    def _batches(self) -> Reals | None:
        """Visits to each vertex in consecutive parts of a walk, shape (parts, k): they tell its error.

        Many runs side by side do not keep them, which would take much memory: the run is walked again, alone.
        """
        drawn, run = self.selection, self.at
        if drawn.visits is not None and drawn.among_several:
            drawn, run = _walked_again(drawn, self.seed), 0
        if "batches" not in drawn.more:
            return None
        made: Reals = drawn.more["batches"].of(run).reshape(-1, len(self.index)).astype(np.float64)
        return made

    def distribution(self, f: Any) -> Distribution:
        """The share of the original's vertices with each value of f, estimated; only values that were met."""
        values = by_vertex(self._whole, f, numbers=False)[self.index]
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
        """The sum of f over all vertices of the original, estimated.

        From the vertices' probabilities; where only ratios of them are known, n times the mean.
        """
        values = by_vertex(self._whole, f)[self.index]
        p, n = self._weights.p, self._whole.num_vertices
        if p is None:
            mean = self._mean(values)
            return Estimate(mean.value * n, mean.standard_error * n)
        return horvitz_thompson(values, p)

    def recruited(self, f: Any, estimator: str = "SS") -> Distribution:
        """Of rds: the share of the original's vertices with each value of f.

        Parameters
        ----------
        f
            As in `mean`.
        estimator : {"SS", "II", "I"}
            By successive sampling (Gile 2011; `distribution` gives it), by degrees (Volz, Heckathorn 2008),
            or by who recruited whom, of two groups (Salganik, Heckathorn 2004). The latter two know no
            errors.
        """
        if self.method != "rds":
            raise InputError(f"recruited() is of rds, and this is a sample of {self.method}")
        word(estimator, "estimator", ("SS", "II", "I"))
        if estimator == "SS":
            return self.distribution(f)
        groups = by_vertex(self._whole, f, numbers=False)[self.index]
        degrees = view_degrees(self.selection.wish, self.index)
        if estimator == "I":
            parent = self.selection.parent.of(self.at).astype(np.int64)
            own = np.where(parent < 0, self.index, parent)
            # recruiters that the cut of the last stage left out do not occur: they came before
            names, share = recruitment_shares(groups, degrees, np.searchsorted(self.index, own))
        else:
            names, place = np.unique(groups, return_inverse=True)
            share = np.bincount(place, weights=1 / degrees) / np.sum(1 / degrees)
        return Distribution(names, share, np.full(len(names), np.nan))

    # --- what it says of itself -------------------------------------------------------------------

    def to_dict(self, *, hashes: bool = True) -> dict[str, Any]:
        """The scalars (vertices and edges as counts), ready for JSON.

        Parameters
        ----------
        hashes : bool
            Whether to add the hashes of the original and of the sample (`clgraph.graph.digest.digest`), by
            which `clgraph replay` compares. They bring both graphs to the host.
        """
        made: dict[str, Any] = {"clgraph": __version__, "options": self.options}
        if hashes:
            from clgraph.graph.digest import digest

            if self.original is not None:
                made["input_sha256"] = digest(self.original)
            made["sha256"] = digest(self.graph)
        made |= {name: getattr(self, name) for name in ("method", "mode", "seed", "size", "target")}
        if self.original is None:
            made["arrivals"] = self.arrivals
        made |= {
            "vertices": self.num_vertices,
            "edges": self.num_edges,
            "iterations": self.iterations,
            "device": self.device,
            **kernel_facts(self),
            "way": self.way,
            "notes": list(self.notes),
            "seconds": self.seconds,
        }
        if self.wish is not None and self.original is not None:
            made |= {"weighting": self.weighting, "keep": self.wish.keep}
        return made if self.held is None else made | estimates_of(self.held)

    def __repr__(self) -> str:
        edges = f"{self.num_edges} {self._counts}"
        if self.original is None and self.held is not None:
            edges = f"{len(self.held.arrival)} of {self.arrivals} edges"
        target = f"target {self.target}, " if self.target and self.original is not None else ""
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
        """What `num_edges` counts."""
        return "pairs" if self.graph.directed else "edges"

    def _facts(self) -> dict[str, Any]:
        whole = "" if self.original is None else f" of {self.original.num_vertices}"
        return {
            "method": with_mode(self.method, self.mode),
            "vertices": f"{self.num_vertices}{whole}",
            self._counts: self.num_edges,
            **({"target": self.target} if self.target else {}),
            "seed": self.seed,
            "device": self.device,
        }

    def _bars(self) -> tuple[str, Sequence[float]] | None:
        return self.graph._bars()


def _plain(ids: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return ids if ids.dtype == object else ids.astype(np.int64)


def _walked_again(drawn: Any, seed: int) -> Any:
    """A run of several walks, alone."""
    from clgraph.device import get_device
    from clgraph.sampling.literature.walks import Frontier, Walks

    device = get_device() if drawn.vertices.there is None else drawn.vertices.there.device
    walks = Frontier if drawn.wish.kind == "frontier" else Walks
    with device.alone():
        return walks(device, drawn.wish.view, drawn.wish, seed, 1).draw()


def with_mode(method: str, mode: str | None) -> str:
    """A method, and its mode if it has several."""
    return method if mode in (None, "auto") else f"{method} ({mode})"


# --- What the user should know of a sample ---

COLLAPSED = "the sample collapsed"  # so the note of such a sample begins


def notes_of(n: int, target: int, untouched: bool, found: int, loops: int) -> list[str]:
    """What the user should know of a sample of `found` vertices; its graph has `n` and `loops` loops."""
    notes = []
    if loops:
        notes.append(f"{loops} self-loops play no part and are not in the sample")
    if untouched:
        notes.append(
            f"the largest component has {found} of {n} vertices, not more than the "
            f"target of {target}: it is returned untouched"
        )
    elif collapse := collapsed(found, target):
        notes.append(collapse)
    return notes


def collapsed(found: int, target: int) -> str | None:
    """What to say of a sample with less than half of the vertices that were asked for."""
    return f"{COLLAPSED} to {found} of {target} vertices" if 2 * found < target else None
